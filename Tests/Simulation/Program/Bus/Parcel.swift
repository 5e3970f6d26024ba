// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistCDBus

/// A message in transit through the simulated bus.
final class Parcel {
  nonisolated enum Kind: Equatable, Sendable { case call, reply, error, signal }

  let kind: Kind
  var serial: UInt32 = 0
  var replySerial: UInt32 = 0
  var sender = ""
  var destination: String?
  var path = ""
  var interface = ""
  var member = ""
  var errorName = ""
  var wantsReply = true
  var startsService = true
  var isInteractive = false
  /// The size in bytes, once the bus has accepted the message.
  var size = 0
  private var decoded: [Value]?
  private var message: Message?
  /// Whether the message carries its sender's name.
  private var isStamped = false

  init(_ kind: Kind, _ values: [Value] = []) {
    self.kind = kind
    decoded = values
  }

  /// Converts a message that was read from a socket.
  init?(_ raw: OpaquePointer) {
    switch dbus_message_get_type(raw) {
    case DBUS_MESSAGE_TYPE_METHOD_CALL: kind = .call
    case DBUS_MESSAGE_TYPE_METHOD_RETURN: kind = .reply
    case DBUS_MESSAGE_TYPE_ERROR: kind = .error
    case DBUS_MESSAGE_TYPE_SIGNAL: kind = .signal
    default: return nil
    }
    func text(_ string: UnsafePointer<CChar>?) -> String { string.map { String(cString: $0) } ?? "" }
    message = Message(retaining: raw)
    serial = dbus_message_get_serial(raw)
    replySerial = dbus_message_get_reply_serial(raw)
    destination = dbus_message_get_destination(raw).map { String(cString: $0) }
    path = text(dbus_message_get_path(raw))
    interface = text(dbus_message_get_interface(raw))
    member = text(dbus_message_get_member(raw))
    errorName = text(dbus_message_get_error_name(raw))
    wantsReply = dbus_message_get_no_reply(raw) == 0
    startsService = dbus_message_get_auto_start(raw) != 0
    isInteractive = dbus_message_get_allow_interactive_authorization(raw) != 0
  }

  var isPing: Bool { kind == .call && member == "Ping" && interface == "org.freedesktop.DBus.Peer" }

  var values: [Value] {
    if let decoded { return decoded }
    let values = (try? message?.arguments()) ?? []
    decoded = values
    return values
  }

  /// The message for a socket.
  func encoded() -> Message {
    if let message {
      // A message cannot be changed after it was sent.
      if !isStamped { dbus_message_set_sender(message.raw, sender) }
      isStamped = true
      return message
    }
    let types = [
      Kind.call: DBUS_MESSAGE_TYPE_METHOD_CALL, .reply: DBUS_MESSAGE_TYPE_METHOD_RETURN,
      .error: DBUS_MESSAGE_TYPE_ERROR, .signal: DBUS_MESSAGE_TYPE_SIGNAL,
    ]
    guard let raw = dbus_message_new(types[kind] ?? 0) else { fatalError("out of memory") }
    let new = Message(owning: raw)
    if !path.isEmpty { dbus_message_set_path(raw, path) }
    if !interface.isEmpty { dbus_message_set_interface(raw, interface) }
    if !member.isEmpty { dbus_message_set_member(raw, member) }
    if !errorName.isEmpty { dbus_message_set_error_name(raw, errorName) }
    if replySerial != 0 { dbus_message_set_reply_serial(raw, replySerial) }
    if let destination { dbus_message_set_destination(raw, destination) }
    dbus_message_set_sender(raw, sender)
    dbus_message_set_no_reply(raw, wantsReply ? 0 : 1)
    dbus_message_set_auto_start(raw, startsService ? 1 : 0)
    dbus_message_set_allow_interactive_authorization(raw, isInteractive ? 1 : 0)
    do { try new.append(values) } catch { fatalError("cannot encode \(self): \(error)") }
    dbus_message_set_serial(raw, serial)
    (message, isStamped) = (new, true)
    return new
  }

  /// Whether it is the bus's answer, because the service has left or could not be started.
  var isLost: Bool { errorName.hasSuffix(".NoReply") || errorName.hasSuffix(".ChildExited") }

  /// The text of the message in the trace.
  var story: String {
    let receiver = destination ?? "all"
    switch kind {
    case .call: return "\(sender) → \(receiver): calls \(member) of \(path) (\(serial))"
    case .reply: return "\(sender) → \(receiver): answers \(replySerial)"
    case .error: return "\(sender) → \(receiver): answers \(replySerial) with \(errorName)"
    case .signal:
      let level = values.first?.properties?["Level"]?.string.map { " at \($0)" } ?? ""
      return "\(sender) → \(receiver): \(member) from \(path)\(level)"
    }
  }
}
