import CDBus

/// A D-Bus message, owned: the one type that holds a `DBusMessage`.
nonisolated public final class Message {
  let raw: OpaquePointer

  /// Takes over one reference.
  init(owning raw: OpaquePointer) { self.raw = raw }

  /// Adds a reference of its own.
  init(retaining raw: OpaquePointer) { self.raw = dbus_message_ref(raw) }

  deinit { dbus_message_unref(raw) }

  /// A call of a method, to be sent with ``Connection/call(_:timeout:_:)``.
  public convenience init(
    calling member: MemberName, of interface: InterfaceName, at path: ObjectPath, on destination: BusName,
    _ arguments: [Value] = []
  ) throws(DBusError) {
    self.init(
      owning: allocated(
        dbus_message_new_method_call(destination.rawValue, path.rawValue, interface.rawValue, member.rawValue)))
    try append(arguments)
  }

  /// A signal; without a destination everybody who listens gets it.
  public convenience init(
    signal member: MemberName, of interface: InterfaceName, at path: ObjectPath, to destination: BusName? = nil,
    _ arguments: [Value] = []
  ) throws(DBusError) {
    self.init(owning: allocated(dbus_message_new_signal(path.rawValue, interface.rawValue, member.rawValue)))
    if let destination { self.destination = destination }
    try append(arguments)
  }

  /// The reply to a call.
  convenience init(replyTo call: Message, _ values: [Value]) throws(DBusError) {
    self.init(owning: allocated(dbus_message_new_method_return(call.raw)))
    try append(values)
  }

  /// The refusal of a call.
  convenience init(errorTo call: Message, _ error: DBusError) {
    // A NUL cannot travel in a D-Bus string, and the C string would end there anyway.
    self.init(owning: allocated(dbus_message_new_error(call.raw, error.name.rawValue, error.message)))
  }

  /// The same message for another object and receiver: cheaper than building the body again.
  public func copy(at path: ObjectPath, to destination: BusName) -> Message {
    let copy = Message(owning: allocated(dbus_message_copy(raw)))
    guard dbus_message_set_path(copy.raw, path.rawValue) != 0,
      dbus_message_set_destination(copy.raw, destination.rawValue) != 0
    else { fatalError("out of memory") }
    return copy
  }
}

/// What the header says.
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

  /// Who sent it, as the bus says: the unique name of a connection, or the bus itself.
  public var sender: BusName? { text(dbus_message_get_sender(raw)).map(BusName.init(unchecked:)) }
  public var path: ObjectPath? { text(dbus_message_get_path(raw)).map(ObjectPath.init(unchecked:)) }
  public var interface: InterfaceName? { text(dbus_message_get_interface(raw)).map(InterfaceName.init(unchecked:)) }
  public var member: MemberName? { text(dbus_message_get_member(raw)).map(MemberName.init(unchecked:)) }
  public var signature: String { text(dbus_message_get_signature(raw)) ?? "" }

  public internal(set) var destination: BusName? {
    get { text(dbus_message_get_destination(raw)).map(BusName.init(unchecked:)) }
    set {
      if dbus_message_set_destination(raw, newValue?.rawValue) == 0 { fatalError("out of memory") }
    }
  }

  /// Whether the sender waits for an answer; on unless it is switched off.
  public var wantsReply: Bool {
    get { dbus_message_get_no_reply(raw) == 0 }
    set { dbus_message_set_no_reply(raw, newValue ? 0 : 1) }
  }

  /// Whether the bus may start the service for this call; on unless it is switched off.
  public var startsService: Bool {
    get { dbus_message_get_auto_start(raw) != 0 }
    set { dbus_message_set_auto_start(raw, newValue ? 1 : 0) }
  }

  /// Whether the sender allows that a dialog is shown to the person before the answer comes.
  var allowsInteractiveAuthorization: Bool { dbus_message_get_allow_interactive_authorization(raw) != 0 }

  /// The size on the wire in bytes, header included.
  var byteCount: Int {
    var bytes: UnsafeMutablePointer<CChar>?
    var count: Int32 = 0
    guard dbus_message_marshal(raw, &bytes, &count) != 0 else { return .max }
    dbus_free(bytes)
    return Int(count)
  }

  /// The error that an error message carries.
  var error: DBusError? {
    guard kind == .error else { return nil }
    let name = text(dbus_message_get_error_name(raw)).map(ErrorName.init(unchecked:)) ?? .failed
    var reader = MessageReader(self)
    return DBusError(name, (try? reader.next())?.string ?? "")
  }

  private func text(_ string: UnsafePointer<CChar>?) -> String? {
    // libdbus has checked every message that it hands out: all text in it is valid UTF-8.
    string.map { String(cString: $0) }
  }
}

/// libdbus answers NULL only when memory is out or an argument is invalid, which the name types exclude.
nonisolated func allocated(_ pointer: OpaquePointer?) -> OpaquePointer {
  guard let pointer else { fatalError("out of memory") }
  return pointer
}
