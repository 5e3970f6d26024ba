// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus
import Glibc

nonisolated extension Message {
  /// Returns all arguments. Throws for a type that this package does not support, and `LimitsExceeded` if the budget is
  /// exhausted.
  public func arguments(within budget: ReadBudget = .reply) throws(DBusError) -> [Value] {
    var budget = budget
    var iterator = DBusMessageIter()
    dbus_message_iter_init(raw, &iterator)
    return try MessageReader.values(at: &iterator, &budget)
  }
}

/// Reads values within a budget.
///
/// Checks the type of each value before reading it, because libdbus aborts the process on a mismatch.
nonisolated private enum MessageReader {
  /// Reads the value at the iterator and all after it in the same container.
  static func values(
    at iterator: inout DBusMessageIter, _ budget: inout ReadBudget
  ) throws(DBusError) -> [Value] {
    var values: [Value] = []
    while dbus_message_iter_get_arg_type(&iterator) != cdbus_type_invalid {
      values.append(try read(&iterator, &budget))
      dbus_message_iter_next(&iterator)
    }
    return values
  }

  private static func read(
    _ iterator: inout DBusMessageIter, _ budget: inout ReadBudget
  ) throws(DBusError) -> Value {
    switch dbus_message_iter_get_arg_type(&iterator) {
    case cdbus_type_byte: return .byte(try number(&iterator, 0, &budget))
    case cdbus_type_boolean: return .boolean(try number(&iterator, dbus_bool_t(0), &budget) != 0)
    case cdbus_type_int16: return .int16(try number(&iterator, 0, &budget))
    case cdbus_type_uint16: return .uint16(try number(&iterator, 0, &budget))
    case cdbus_type_int32: return .int32(try number(&iterator, 0, &budget))
    case cdbus_type_uint32: return .uint32(try number(&iterator, 0, &budget))
    case cdbus_type_int64: return .int64(Int64(try number(&iterator, dbus_int64_t(0), &budget)))
    case cdbus_type_uint64: return .uint64(UInt64(try number(&iterator, dbus_uint64_t(0), &budget)))
    case cdbus_type_double: return .double(try number(&iterator, 0, &budget))
    case cdbus_type_string: return .string(try text(&iterator, &budget))
    case cdbus_type_object_path: return .objectPath(ObjectPath(unchecked: try text(&iterator, &budget)))
    case cdbus_type_signature: return .signature(Signature(unchecked: try text(&iterator, &budget)))
    case cdbus_type_variant:
      try budget.spend(3)
      var inner = DBusMessageIter()
      dbus_message_iter_recurse(&iterator, &inner)
      return .variant(try read(&inner, &budget))
    case cdbus_type_struct:
      try budget.spend(1)
      return .structure(try elements(of: &iterator, &budget))
    case cdbus_type_array: return try array(&iterator, &budget)
    case cdbus_type_unix_fd:
      try budget.spendDescriptor()
      var descriptor: Int32 = -1
      // libdbus returns a duplicate. It does not check which descriptor of the message the value names.
      dbus_message_iter_get_basic(&iterator, &descriptor)
      guard descriptor >= 0 else { throw DBusError(.failed, "A file descriptor is missing or cannot be duplicated") }
      return .descriptor(OwnedDescriptor(owning: descriptor))
    default: throw DBusError(.notSupported, "The message contains an unknown type")
    }
  }

  private static func array(
    _ iterator: inout DBusMessageIter, _ budget: inout ReadBudget
  ) throws(DBusError) -> Value {
    let elementType = dbus_message_iter_get_element_type(&iterator)
    if elementType == cdbus_type_byte { return .bytes(try bytes(&iterator, &budget)) }
    guard let signature = dbus_message_iter_get_signature(&iterator) else { fatalError("out of memory") }
    defer { dbus_free(signature) }
    let type = String(cString: signature).dropFirst()
    // Every array stores its element type, which appears only once on the wire for all elements of an outer array.
    try budget.spend(4 + type.utf8.count)
    guard elementType == cdbus_type_dict_entry else {
      return .array(Signature(unchecked: String(type)), try elements(of: &iterator, &budget))
    }
    // In `{kv}`, the key is always a basic type, one character.
    let inner = type.dropFirst().dropLast()
    let key = Signature(unchecked: String(inner.prefix(1)))
    let value = Signature(unchecked: String(inner.dropFirst()))
    var entries: [Value.Entry] = []
    var element = DBusMessageIter()
    dbus_message_iter_recurse(&iterator, &element)
    while dbus_message_iter_get_arg_type(&element) != cdbus_type_invalid {
      var pair = DBusMessageIter()
      dbus_message_iter_recurse(&element, &pair)
      let key = try read(&pair, &budget)
      dbus_message_iter_next(&pair)
      entries.append(Value.Entry(key, try read(&pair, &budget)))
      dbus_message_iter_next(&element)
    }
    return .dictionary(key: key, value: value, entries)
  }

  private static func elements(
    of iterator: inout DBusMessageIter, _ budget: inout ReadBudget
  ) throws(DBusError) -> [Value] {
    var inner = DBusMessageIter()
    dbus_message_iter_recurse(&iterator, &inner)
    return try values(at: &inner, &budget)
  }

  private static func bytes(
    _ iterator: inout DBusMessageIter, _ budget: inout ReadBudget
  ) throws(DBusError) -> [UInt8] {
    var inner = DBusMessageIter()
    var first: UnsafePointer<UInt8>?
    var count: Int32 = 0
    dbus_message_iter_recurse(&iterator, &inner)
    dbus_message_iter_get_fixed_array(&inner, &first, &count)
    try budget.spend(4 + Int(count))
    return Array(UnsafeBufferPointer(start: first, count: first == nil ? 0 : Int(count)))
  }

  private static func number<T: BitwiseCopyable>(
    _ iterator: inout DBusMessageIter, _ initial: T, _ budget: inout ReadBudget
  ) throws(DBusError) -> T {
    try budget.spend(MemoryLayout<T>.size)
    var value = initial
    dbus_message_iter_get_basic(&iterator, &value)
    return value
  }

  private static func text(
    _ iterator: inout DBusMessageIter, _ budget: inout ReadBudget
  ) throws(DBusError) -> String {
    var string: UnsafePointer<CChar>?
    dbus_message_iter_get_basic(&iterator, &string)
    guard let string else { return "" }
    try budget.spend(5 + strnlen(string, max(budget.bytes, 0)))
    return String(cString: string)
  }
}
