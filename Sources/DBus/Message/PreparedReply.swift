// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus

/// A reply to many calls, whose values are marshalled once.
nonisolated public final class PreparedReply {
  private let message: Message
  private let size: Int

  /// Creates a reply. Throws like ``Message/append(_:)``.
  public init(_ values: [Value]) throws(DBusError) {
    message = Message(owning: allocated(dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN)))
    dbus_message_set_no_reply(message.raw, 1)
    try message.appendShared(values)
    size = message.wireSize
  }

  func message(answering serial: UInt32, to caller: BusName) -> Message {
    let copy = message.copy()
    guard dbus_message_set_reply_serial(copy.raw, serial) != 0,
      dbus_message_set_destination(copy.raw, caller.rawValue) != 0
    else { fatalError("out of memory") }
    // The serial number of the call is a header field, too.
    copy.wireSize = size + 8 + Message.headerFieldSize(caller.rawValue)
    return copy
  }
}
