import GeopublicistCDBus

/// Reads the arguments of a message one after the other.
///
/// Asks for the type of each argument before it reads: libdbus aborts the process when the two do not agree.
nonisolated struct MessageReader {
  private var iterator = DBusMessageIter()
  private let message: Message

  init(_ message: Message) {
    self.message = message
    dbus_message_iter_init(message.raw, &iterator)
  }

  /// The next argument, or nil at the end; throws for a type that this package does not know. A file descriptor is
  /// left where it is, with an empty structure in its place.
  mutating func next() throws(DBusError) -> Value? {
    guard dbus_message_iter_get_arg_type(&iterator) != cdbus_type_invalid else { return nil }
    let value = try Self.read(&iterator)
    dbus_message_iter_next(&iterator)
    return value
  }

  private static func read(_ iterator: inout DBusMessageIter) throws(DBusError) -> Value {
    switch dbus_message_iter_get_arg_type(&iterator) {
    case cdbus_type_byte: return .byte(basic(&iterator, 0))
    case cdbus_type_boolean: return .boolean(basic(&iterator, dbus_bool_t(0)) != 0)
    case cdbus_type_int16: return .int16(basic(&iterator, 0))
    case cdbus_type_uint16: return .uint16(basic(&iterator, 0))
    case cdbus_type_int32: return .int32(basic(&iterator, 0))
    case cdbus_type_uint32: return .uint32(basic(&iterator, 0))
    case cdbus_type_int64: return .int64(Int64(basic(&iterator, dbus_int64_t(0))))
    case cdbus_type_uint64: return .uint64(UInt64(basic(&iterator, dbus_uint64_t(0))))
    case cdbus_type_double: return .double(basic(&iterator, 0))
    case cdbus_type_string: return .string(text(&iterator))
    case cdbus_type_object_path: return .objectPath(ObjectPath(unchecked: text(&iterator)))
    case cdbus_type_signature: return .signature(Signature(unchecked: text(&iterator)))
    case cdbus_type_variant:
      var inner = DBusMessageIter()
      dbus_message_iter_recurse(&iterator, &inner)
      return .variant(try read(&inner))
    case cdbus_type_struct: return .structure(try elements(of: &iterator))
    case cdbus_type_array: return try array(&iterator)
    case cdbus_type_unix_fd:
      // In a reply of the bus's own one comes unasked (`ProcessFD`); it stays with the message, which closes it.
      return .structure([])
    default: throw DBusError(.notSupported, "A type that is not known here")
    }
  }

  private static func array(_ iterator: inout DBusMessageIter) throws(DBusError) -> Value {
    guard let signature = dbus_message_iter_get_signature(&iterator) else { fatalError("out of memory") }
    defer { dbus_free(signature) }
    let type = String(cString: signature).dropFirst()
    guard dbus_message_iter_get_element_type(&iterator) == cdbus_type_dict_entry else {
      return .array(Signature(unchecked: String(type)), try elements(of: &iterator))
    }
    // `{kv}`: the key is always a basic type, one character.
    let inner = type.dropFirst().dropLast()
    let key = Signature(unchecked: String(inner.prefix(1)))
    let value = Signature(unchecked: String(inner.dropFirst()))
    var entries: [Value.Entry] = []
    try forEach(&iterator) { (entry: inout DBusMessageIter) throws(DBusError) in
      var pair = DBusMessageIter()
      dbus_message_iter_recurse(&entry, &pair)
      let key = try read(&pair)
      dbus_message_iter_next(&pair)
      entries.append(Value.Entry(key, try read(&pair)))
    }
    return .dictionary(key: key, value: value, entries)
  }

  private static func elements(of iterator: inout DBusMessageIter) throws(DBusError) -> [Value] {
    var values: [Value] = []
    try forEach(&iterator) { (element: inout DBusMessageIter) throws(DBusError) in
      values.append(try read(&element))
    }
    return values
  }

  private static func forEach(
    _ iterator: inout DBusMessageIter, _ body: (inout DBusMessageIter) throws(DBusError) -> Void
  ) throws(DBusError) {
    var inner = DBusMessageIter()
    dbus_message_iter_recurse(&iterator, &inner)
    while dbus_message_iter_get_arg_type(&inner) != cdbus_type_invalid {
      try body(&inner)
      dbus_message_iter_next(&inner)
    }
  }

  private static func basic<T: BitwiseCopyable>(_ iterator: inout DBusMessageIter, _ initial: T) -> T {
    var value = initial
    dbus_message_iter_get_basic(&iterator, &value)
    return value
  }

  private static func text(_ iterator: inout DBusMessageIter) -> String {
    var string: UnsafePointer<CChar>?
    dbus_message_iter_get_basic(&iterator, &string)
    return string.map { String(cString: $0) } ?? ""
  }
}

nonisolated extension Message {
  /// All arguments; throws for a type that this package does not read.
  public func arguments() throws(DBusError) -> [Value] {
    var reader = MessageReader(self)
    var values: [Value] = []
    while let value = try reader.next() { values.append(value) }
    return values
  }
}
