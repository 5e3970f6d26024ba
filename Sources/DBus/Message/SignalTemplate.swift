import GeopublicistCDBus

/// A signal for many receivers, from an object of its own for each: its arguments are marshalled once.
nonisolated public final class SignalTemplate {
  /// Its arguments on the wire.
  let body: [UInt8]
  private let member: MemberName
  private let interface: InterfaceName
  private let arguments: [Value]
  /// What libdbus copies for each receiver; made when it is wanted.
  private lazy var message = makeMessage()

  /// Throws `InvalidArgs` for arguments that D-Bus cannot carry, and `LimitsExceeded` above 16 MiB.
  public init(_ member: MemberName, of interface: InterfaceName, _ arguments: [Value] = []) throws(DBusError) {
    try MessageWriter.check(arguments)
    self.member = member
    self.interface = interface
    self.arguments = arguments
    var marshaller = Marshaller(capacity: 512)
    for argument in arguments { marshaller.write(argument) }
    body = marshaller.bytes
  }

  /// The signal of one object to one receiver.
  public func signal(at path: ObjectPath, to destination: BusName) -> Message {
    let copy = message.copy()
    guard dbus_message_set_path(copy.raw, path.rawValue) != 0,
      dbus_message_set_destination(copy.raw, destination.rawValue) != 0
    else { fatalError("out of memory") }
    return copy
  }

  private func makeMessage() -> Message {
    // Without a path: to replace one, libdbus writes everything in the header anew that comes after it.
    let message = Message(owning: allocated(dbus_message_new(DBUS_MESSAGE_TYPE_SIGNAL)))
    dbus_message_set_no_reply(message.raw, 1)
    guard dbus_message_set_interface(message.raw, interface.rawValue) != 0,
      dbus_message_set_member(message.raw, member.rawValue) != 0
    else { fatalError("out of memory") }
    message.write(checked: arguments)
    // Asked for any field, libdbus notes where each one is; the copies have that from here, and need not search.
    _ = dbus_message_get_member(message.raw)
    return message
  }
}

/// The way of one object's signals of one kind to one receiver: the header that they have in common, on the wire.
///
/// Of what it takes libdbus to send a message to one more receiver, three quarters is the header, which is always the same.
nonisolated public final class SignalRoute {
  let path: ObjectPath
  let destination: BusName
  private var header: [UInt8] = []

  /// A route is for templates with the same interface, member and types of arguments.
  public init(from path: ObjectPath, to destination: BusName) {
    self.path = path
    self.destination = destination
  }

  /// The header of a template's signal, with its serial number; nil if it cannot be had.
  func header(for template: SignalTemplate, serial: UInt32) -> [UInt8]? {
    if header.isEmpty { header = template.signal(at: path, to: destination).headerOnWire ?? [] }
    guard !header.isEmpty, let length = UInt32(exactly: template.body.count) else { return nil }
    header.withUnsafeMutableBytes { bytes in
      bytes.storeBytes(of: length, toByteOffset: 4, as: UInt32.self)
      bytes.storeBytes(of: serial, toByteOffset: 8, as: UInt32.self)
    }
    return header
  }
}

nonisolated extension Message {
  /// The bytes of the header as libdbus sends them, in this machine's byte order, which is why numbers in them can be
  /// read and replaced.
  fileprivate var headerOnWire: [UInt8]? {
    var bytes: UnsafeMutablePointer<CChar>?
    var count: Int32 = 0
    guard dbus_message_marshal(raw, &bytes, &count) != 0, let bytes else { return nil }
    defer { dbus_free(bytes) }
    let all = UnsafeRawBufferPointer(start: bytes, count: Int(count))
    guard all.count >= 16 else { return nil }
    // Four bytes, the length of the body, the serial number, the length of the fields, which are filled up to eight.
    let fields = Int(all.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
    let length = 16 + (fields + 7) / 8 * 8
    return length <= all.count ? Array(all[..<length]) : nil
  }
}
