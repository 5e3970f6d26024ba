// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus
import Glibc

/// A D-Bus message. The only type that holds a `DBusMessage`.
nonisolated public final class Message {
  package let raw: OpaquePointer
  /// The size on the wire in bytes, computed once.
  var wireSize: Int {
    get {
      if let knownWireSize { return knownWireSize }
      let size = byteCount(upTo: .max) ?? 0
      knownWireSize = size
      return size
    }
    set { knownWireSize = newValue }
  }
  private var knownWireSize: Int?
  /// The receiver that this process has set, so that it need not be read back for each message that is sent.
  private var receiver: BusName?
  /// Why D-Bus cannot carry the message's arguments, or nil if it can. A call with such a message fails with
  /// ``CallFailure/notSent(_:)``, and a signal is not sent.
  public private(set) var refusal: DBusError?
  /// The number of file descriptors that this process has appended.
  var descriptorCount = 0

  /// Takes over the caller's reference.
  package init(owning raw: OpaquePointer) { self.raw = raw }

  /// Retains the message.
  package init(retaining raw: OpaquePointer) { self.raw = dbus_message_ref(raw) }

  deinit { dbus_message_unref(raw) }

  /// Creates a method call, to be sent with ``Connection/call(_:timeout:expecting:within:_:)``.
  public convenience init(
    calling member: MemberName, of interface: InterfaceName, at path: ObjectPath, on destination: BusName,
    _ arguments: [Value] = []
  ) {
    self.init(
      owning: allocated(
        dbus_message_new_method_call(destination.rawValue, path.rawValue, interface.rawValue, member.rawValue)))
    receiver = destination
    begin(with: arguments)
  }

  /// Creates a call to a method of the message bus itself.
  public convenience init(callingBus member: MemberName, _ arguments: [Value] = []) {
    self.init(calling: member, of: .bus, at: .bus, on: .bus, arguments)
  }

  /// Creates a signal, which is a broadcast if it has no destination.
  public convenience init(
    signal member: MemberName, of interface: InterfaceName, at path: ObjectPath, to destination: BusName? = nil,
    _ arguments: [Value] = []
  ) {
    self.init(owning: allocated(dbus_message_new_signal(path.rawValue, interface.rawValue, member.rawValue)))
    if let destination { self.destination = destination }
    begin(with: arguments)
  }

  /// Creates the reply to the call with this serial number.
  convenience init(replyTo serial: UInt32, from caller: BusName, _ values: [Value]) {
    self.init(DBUS_MESSAGE_TYPE_METHOD_RETURN, answering: serial, from: caller)
    begin(with: values)
  }

  /// Creates the error reply to the call with this serial number.
  convenience init(errorTo serial: UInt32, from caller: BusName, _ error: DBusError) {
    self.init(DBUS_MESSAGE_TYPE_ERROR, answering: serial, from: caller)
    if dbus_message_set_error_name(raw, error.name.rawValue) == 0 { fatalError("out of memory") }
    // D-Bus strings cannot contain NUL, so the text ends there.
    begin(with: [.string(String(error.message.prefix { $0 != "\0" }))])
  }

  private convenience init(_ type: Int32, answering serial: UInt32, from caller: BusName) {
    self.init(owning: allocated(dbus_message_new(type)))
    dbus_message_set_no_reply(raw, 1)
    if dbus_message_set_reply_serial(raw, serial) == 0 { fatalError("out of memory") }
    destination = caller
  }

  private func begin(with arguments: [Value]) {
    do throws(DBusError) { try append(arguments) } catch { refusal = error }
  }

  /// Returns a copy that can be sent and changed independently. Only for messages without file descriptors.
  func copy() -> Message { Message(owning: allocated(dbus_message_copy(raw))) }

  /// Returns the message if it has not been sent, otherwise a copy, because a message keeps its first serial number.
  /// Returns nil if the process cannot duplicate the message's file descriptors.
  func unsent() -> Message? {
    guard isSent, hasDescriptors else { return isSent ? copy() : self }
    return dbus_message_copy(raw).map(Message.init(owning:))
  }
}

// MARK: - Header
nonisolated extension Message {
  enum Kind { case call, reply, error, signal, other }

  var kind: Kind {
    switch dbus_message_get_type(raw) {
    case DBUS_MESSAGE_TYPE_METHOD_CALL: .call
    case DBUS_MESSAGE_TYPE_METHOD_RETURN: .reply
    case DBUS_MESSAGE_TYPE_ERROR: .error
    case DBUS_MESSAGE_TYPE_SIGNAL: .signal
    default: .other
    }
  }

  /// The sender's unique name, set by the bus, or the bus itself.
  public var sender: BusName? { text(dbus_message_get_sender(raw)).map(BusName.init(unchecked:)) }
  /// The called or sending object. Nil for replies and errors, and for paths of more than 4 KiB, which D-Bus allows.
  public var path: ObjectPath? {
    guard let path = dbus_message_get_path(raw), strnlen(path, Self.longestPath + 1) <= Self.longestPath else {
      return nil
    }
    return text(path).map(ObjectPath.init(unchecked:))
  }
  /// The interface of the member. Nil for replies and errors, and if the caller omitted it.
  public var interface: InterfaceName? { text(dbus_message_get_interface(raw)).map(InterfaceName.init(unchecked:)) }
  /// The name of the method or signal. Nil for replies and errors.
  public var member: MemberName? { text(dbus_message_get_member(raw)).map(MemberName.init(unchecked:)) }
  /// The signature of the arguments, empty if there are none.
  public var signature: String { text(dbus_message_get_signature(raw)) ?? "" }

  /// The receiver, or nil for a broadcast.
  public internal(set) var destination: BusName? {
    get { receiver ?? text(dbus_message_get_destination(raw)).map(BusName.init(unchecked:)) }
    set {
      if dbus_message_set_destination(raw, newValue?.rawValue) == 0 { fatalError("out of memory") }
      receiver = newValue
    }
  }

  /// Whether the message has been sent and can no longer be changed.
  var isSent: Bool { dbus_message_get_serial(raw) != 0 }

  var serial: UInt32 { dbus_message_get_serial(raw) }

  /// The serial number of the call that this message answers, or 0.
  var replySerial: UInt32 { dbus_message_get_reply_serial(raw) }

  /// Whether libdbus reports the loss of the connection. It cannot be forged, because messages from the bus have a
  /// sender.
  var isDisconnection: Bool {
    dbus_message_get_sender(raw) == nil
      && dbus_message_is_signal(raw, "org.freedesktop.DBus.Local", "Disconnected") != 0
  }

  /// Whether the message contains file descriptors, even if no argument refers to them.
  var hasDescriptors: Bool { dbus_message_contains_unix_fds(raw) != 0 }

  /// Whether the sender expects an answer. True by default. Can be changed only before the message is sent.
  public var wantsReply: Bool {
    get { dbus_message_get_no_reply(raw) == 0 }
    set { if !isSent { dbus_message_set_no_reply(raw, newValue ? 0 : 1) } }
  }

  /// Whether the bus may start the service for this call. True by default. Can be changed only before the message is
  /// sent.
  public var startsService: Bool {
    get { dbus_message_get_auto_start(raw) != 0 }
    set { if !isSent { dbus_message_set_auto_start(raw, newValue ? 1 : 0) } }
  }

  /// Whether a dialog may be shown to the user before the answer. False by default. Can be changed only before the
  /// message is sent.
  public var allowsInteractiveAuthorization: Bool {
    get { dbus_message_get_allow_interactive_authorization(raw) != 0 }
    set { if !isSent { dbus_message_set_allow_interactive_authorization(raw, newValue ? 1 : 0) } }
  }

  /// The error of an error message. Its text is truncated to 1 KiB.
  var error: DBusError? {
    guard kind == .error else { return nil }
    let name = text(dbus_message_get_error_name(raw)).map(ErrorName.init(unchecked:)) ?? .failed
    return DBusError(name, beginningOfText)
  }

  /// The beginning of the first argument if it is a string, otherwise an empty string.
  private var beginningOfText: String {
    var iterator = DBusMessageIter()
    dbus_message_iter_init(raw, &iterator)
    guard dbus_message_iter_get_arg_type(&iterator) == cdbus_type_string else { return "" }
    var text: UnsafePointer<CChar>?
    dbus_message_iter_get_basic(&iterator, &text)
    guard let text else { return "" }
    let bytes = UnsafeBufferPointer(start: text, count: strnlen(text, Self.longestErrorText))
    return String(decoding: bytes.lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static let longestPath = 4_096
  private static let longestErrorText = 1_024

  private func text(_ string: UnsafePointer<CChar>?) -> String? {
    // libdbus has validated the message, so all text in it is valid UTF-8.
    string.map { String(cString: $0) }
  }
}

/// Unwraps a pointer from libdbus, which returns NULL only when out of memory or for invalid arguments, which the name
/// types exclude.
nonisolated func allocated(_ pointer: OpaquePointer?) -> OpaquePointer {
  guard let pointer else { fatalError("out of memory") }
  return pointer
}
