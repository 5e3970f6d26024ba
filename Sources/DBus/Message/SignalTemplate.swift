// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus

/// A signal that many objects send to many receivers. Built and validated once, then copied by libdbus.
nonisolated public final class SignalTemplate {
  private let message: Message
  /// The size of the part that all copies share.
  private let size: Int

  /// Creates a template. Throws `InvalidArgs` for arguments that D-Bus cannot carry, and `LimitsExceeded` above 16 MiB.
  public init(_ member: MemberName, of interface: InterfaceName, _ arguments: [Value] = []) throws(DBusError) {
    // Without a path, because replacing one makes libdbus rewrite the rest of the header.
    message = Message(owning: allocated(dbus_message_new(DBUS_MESSAGE_TYPE_SIGNAL)))
    dbus_message_set_no_reply(message.raw, 1)
    guard dbus_message_set_interface(message.raw, interface.rawValue) != 0,
      dbus_message_set_member(message.raw, member.rawValue) != 0
    else { fatalError("out of memory") }
    try message.appendShared(arguments)
    // Reading any field makes libdbus cache the positions of all fields, which the copies inherit.
    _ = dbus_message_get_member(message.raw)
    size = message.wireSize
  }

  /// Returns the signal of one object to one receiver.
  public func signal(at path: ObjectPath, to destination: BusName) -> Message {
    let copy = message.copy()
    if dbus_message_set_path(copy.raw, path.rawValue) == 0 { fatalError("out of memory") }
    copy.destination = destination
    copy.wireSize = size + Message.headerFieldSize(path.rawValue) + Message.headerFieldSize(destination.rawValue)
    return copy
  }
}
