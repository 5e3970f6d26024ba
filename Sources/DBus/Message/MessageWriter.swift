// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus
import Glibc

nonisolated extension Message {
  /// Appends arguments.
  ///
  /// Throws `InvalidArgs` for values that D-Bus cannot carry: a string with a NUL, an array with elements of different
  /// types, more than 32 levels of containers, or a signature of more than 255 characters. libdbus would abort the
  /// process for each of them. Throws `LimitsExceeded` above 16 MiB and for more than 16 file descriptors, because a bus
  /// would end the connection, and if the process cannot duplicate a descriptor. After an error, do not send the
  /// message.
  public func append(_ values: [Value]) throws(DBusError) {
    guard !values.isEmpty else { return }
    guard !isSent else { throw DBusError(.failed, "The message has already been sent and cannot be changed") }
    descriptorCount = try MessageWriter.check(values, after: signature, descriptors: descriptorCount)
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(raw, &iterator)
    for value in values { try MessageWriter.write(value, to: &iterator) }
  }
}

nonisolated extension Message {
  /// Appends arguments to a message that will be copied for many receivers. Such a message cannot contain file
  /// descriptors.
  func appendShared(_ values: [Value]) throws(DBusError) {
    try append(values)
    if descriptorCount > 0 {
      throw DBusError(.invalidArgs, "A message to several receivers cannot contain file descriptors")
    }
  }
}

/// Validates values and writes validated values.
nonisolated enum MessageWriter {
  private static let maximumSize = 16 * 1024 * 1024
  /// dbus-daemon's default, and the largest number that every bus forwards.
  private static let maximumDescriptors = 16
  private static let unspeakable = DBusError(.invalidArgs, "The values do not form a valid signature")

  /// Validates arguments that follow those with the given signature and number of file descriptors. Throws like
  /// ``Message/append(_:)``. Returns the number of file descriptors, including those of the earlier arguments.
  @discardableResult
  static func check(
    _ values: [Value], after signature: String = "", descriptors: Int = 0
  ) throws(DBusError) -> Int {
    var size = 0
    var descriptors = descriptors
    for value in values { size += try check(value, &descriptors) }
    guard size <= maximumSize, descriptors <= maximumDescriptors else {
      throw DBusError(.limitsExceeded, "The message is too large")
    }
    let types = values.reduce(into: signature) { $0 += $1.signature }
    guard Signature(validating: types) != nil else { throw unspeakable }
    return descriptors
  }

  /// Validates everything that libdbus requires without checking it itself. Returns the approximate size in bytes.
  private static func check(_ value: Value, _ descriptors: inout Int, depth: Int = 0) throws(DBusError) -> Int {
    guard depth < 32 else { throw DBusError(.invalidArgs, "Too many levels of containers") }
    var size = 8
    switch value {
    case .string(let string):
      let count = string.utf8.count
      guard string.withCString(strlen) == count else {
        throw DBusError(.invalidArgs, "A string cannot contain a NUL character")
      }
      size += count
    case .objectPath(let path):
      size += path.rawValue.utf8.count
    case .signature(let signature):
      size += signature.rawValue.utf8.count
    case .variant(let inner):
      guard isSimple(inner) || Signature(validating: inner.signature) != nil else { throw unspeakable }
      size += try check(inner, &descriptors, depth: depth + 1)
    case .structure(let fields):
      if fields.isEmpty { throw DBusError(.invalidArgs, "A structure cannot be empty") }
      for field in fields { size += try check(field, &descriptors, depth: depth + 1) }
    case .bytes(let bytes):
      size += bytes.count
    case .array(let type, let elements):
      guard type.isSingle else { throw DBusError(.invalidArgs, "An array must have a single element type") }
      for element in elements {
        guard element.signature == type.rawValue else {
          throw DBusError(.invalidArgs, "All elements of an array must have its element type")
        }
        size += try check(element, &descriptors, depth: depth + 1)
      }
    case .dictionary(let key, let type, let entries):
      guard key.isBasic, type.isSingle else {
        throw DBusError(.invalidArgs, "A dictionary must have one basic key type and one value type")
      }
      for entry in entries {
        guard entry.key.signature == key.rawValue, entry.value.signature == type.rawValue else {
          throw DBusError(.invalidArgs, "All entries of a dictionary must have its key and value types")
        }
        size += try check(entry.key, &descriptors, depth: depth + 1)
        size += try check(entry.value, &descriptors, depth: depth + 1)
      }
    case .descriptor: descriptors += 1
    default: break
    }
    return size
  }

  /// Returns whether the value's signature is a single character and therefore always valid.
  private static func isSimple(_ value: Value) -> Bool {
    switch value {
    case .structure, .array, .bytes, .dictionary: false
    default: true
    }
  }

  fileprivate static func write(_ value: Value, to iterator: inout DBusMessageIter) throws(DBusError) {
    switch value {
    case .byte(let number): basic(cdbus_type_byte, number, &iterator)
    case .boolean(let flag): basic(cdbus_type_boolean, dbus_bool_t(flag ? 1 : 0), &iterator)
    case .int16(let number): basic(cdbus_type_int16, number, &iterator)
    case .uint16(let number): basic(cdbus_type_uint16, number, &iterator)
    case .int32(let number): basic(cdbus_type_int32, number, &iterator)
    case .uint32(let number): basic(cdbus_type_uint32, number, &iterator)
    case .int64(let number): basic(cdbus_type_int64, number, &iterator)
    case .uint64(let number): basic(cdbus_type_uint64, number, &iterator)
    case .double(let number): basic(cdbus_type_double, number, &iterator)
    case .string(let string): text(cdbus_type_string, string, &iterator)
    case .objectPath(let path): text(cdbus_type_object_path, path.rawValue, &iterator)
    case .signature(let signature): text(cdbus_type_signature, signature.rawValue, &iterator)
    case .descriptor(let descriptor):
      var number = descriptor.rawValue
      // libdbus duplicates the descriptor, which fails if the process has too many.
      if dbus_message_iter_append_basic(&iterator, cdbus_type_unix_fd, &number) == 0 {
        throw DBusError(.limitsExceeded, "A file descriptor cannot be duplicated")
      }
    case .variant(let inner):
      try container(cdbus_type_variant, inner.signature, &iterator) { contents throws(DBusError) in
        try write(inner, to: &contents)
      }
    case .structure(let fields):
      try container(cdbus_type_struct, nil, &iterator) { contents throws(DBusError) in
        for field in fields { try write(field, to: &contents) }
      }
    case .bytes(let bytes): try fixedArray(bytes, &iterator)
    case .array(let type, let elements):
      try container(cdbus_type_array, type.rawValue, &iterator) { contents throws(DBusError) in
        for element in elements { try write(element, to: &contents) }
      }
    case .dictionary(let key, let type, let entries):
      try container(cdbus_type_array, "{" + key.rawValue + type.rawValue + "}", &iterator) { array throws(DBusError) in
        for entry in entries {
          try container(cdbus_type_dict_entry, nil, &array) { contents throws(DBusError) in
            try write(entry.key, to: &contents)
            try write(entry.value, to: &contents)
          }
        }
      }
    }
  }

  private static func basic<T: BitwiseCopyable>(_ type: Int32, _ value: T, _ iterator: inout DBusMessageIter) {
    var value = value
    if dbus_message_iter_append_basic(&iterator, type, &value) == 0 { fatalError("out of memory") }
  }

  private static func text(_ type: Int32, _ string: String, _ iterator: inout DBusMessageIter) {
    string.withCString { basic(type, $0, &iterator) }
  }

  private static func fixedArray(_ bytes: [UInt8], _ iterator: inout DBusMessageIter) throws(DBusError) {
    try container(cdbus_type_array, "y", &iterator) { array in
      bytes.withUnsafeBufferPointer {
        // An empty array has a null address, which libdbus rejects.
        guard var start = $0.baseAddress, !$0.isEmpty else { return }
        // The size is at most 16 MiB, as validated.
        let isAppended = dbus_message_iter_append_fixed_array(
          &array, cdbus_type_byte, &start, Int32(clamping: $0.count))
        if isAppended == 0 { fatalError("out of memory") }
      }
    }
  }

  private static func container(
    _ type: Int32, _ signature: String?, _ iterator: inout DBusMessageIter,
    _ body: (inout DBusMessageIter) throws(DBusError) -> Void
  ) throws(DBusError) {
    var inner = DBusMessageIter()
    guard dbus_message_iter_open_container(&iterator, type, signature, &inner) != 0 else { fatalError("out of memory") }
    do throws(DBusError) {
      try body(&inner)
    } catch {
      dbus_message_iter_abandon_container(&iterator, &inner)
      throw error
    }
    if dbus_message_iter_close_container(&iterator, &inner) == 0 { fatalError("out of memory") }
  }
}
