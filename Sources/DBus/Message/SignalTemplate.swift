// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus

/// A signal for many receivers, from a different object for each: checked and built once, and copied by libdbus.
nonisolated public final class SignalTemplate {
  private let message: Message
  /// The common part of all copies.
  private let size: Int

  /// Throws `InvalidArgs` for arguments that D-Bus cannot carry, and `LimitsExceeded` above 16 MiB.
  public init(_ member: MemberName, of interface: InterfaceName, _ arguments: [Value] = []) throws(DBusError) {
    // Without a path: to replace one, libdbus rewrites the rest of the header.
    message = Message(owning: allocated(dbus_message_new(DBUS_MESSAGE_TYPE_SIGNAL)))
    dbus_message_set_no_reply(message.raw, 1)
    guard dbus_message_set_interface(message.raw, interface.rawValue) != 0,
      dbus_message_set_member(message.raw, member.rawValue) != 0
    else { fatalError("out of memory") }
    try message.append(arguments)
    // Reading any field makes libdbus cache the positions of all; the copies inherit that.
    _ = dbus_message_get_member(message.raw)
    size = message.wireSize
  }

  /// The signal of one object to one receiver.
  public func signal(at path: ObjectPath, to destination: BusName) -> Message {
    let copy = message.copy()
    guard dbus_message_set_path(copy.raw, path.rawValue) != 0,
      dbus_message_set_destination(copy.raw, destination.rawValue) != 0
    else { fatalError("out of memory") }
    copy.wireSize = size + Message.headerFieldSize(path.rawValue) + Message.headerFieldSize(destination.rawValue)
    return copy
  }
}
