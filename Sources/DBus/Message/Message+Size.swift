// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus
import Glibc

/// Computes the size of a message on the wire without copying the message.
nonisolated extension Message {
  /// Returns the size of the whole message in bytes, including the header, or nil if it exceeds the limit.
  ///
  /// libdbus reports the size only by copying the message (`dbus_message_marshal`). This function visits the values
  /// instead, no further than the limit, so that its cost is bounded by the limit. Header fields not defined by D-Bus
  /// are not counted; see ``receivedByteCount(upTo:)``.
  func byteCount(upTo limit: Int) -> Int? {
    guard let header = headerByteCount(upTo: limit) else { return nil }
    var size = WireSize(limit: limit - header)
    var iterator = DBusMessageIter()
    dbus_message_iter_init(raw, &iterator)
    return size.addAll(in: &iterator) ? header + size.bytes : nil
  }

  /// Returns the size of a received message in bytes, or nil if it exceeds the limit.
  ///
  /// dbus-broker passes on header fields that D-Bus does not define, of any length. Only a copy shows them, which is
  /// made if the rest is short enough.
  func receivedByteCount(upTo limit: Int) -> Int? {
    guard byteCount(upTo: limit) != nil else { return nil }
    let count = marshalledByteCount
    return count <= limit ? count : nil
  }

  /// The size of the whole message in bytes, from a copy.
  var marshalledByteCount: Int {
    var (bytes, count): (UnsafeMutablePointer<CChar>?, Int32) = (nil, 0)
    guard dbus_message_marshal(raw, &bytes, &count) != 0 else { fatalError("out of memory") }
    dbus_free(bytes)
    return Int(count)
  }

  /// Returns the size of a header field that contains a string.
  static func headerFieldSize(_ text: String) -> Int { (4 + 5 + text.utf8.count + 7) / 8 * 8 }

  private func headerByteCount(upTo limit: Int) -> Int? {
    let texts = [
      dbus_message_get_path(raw), dbus_message_get_interface(raw), dbus_message_get_member(raw),
      dbus_message_get_error_name(raw), dbus_message_get_destination(raw), dbus_message_get_sender(raw),
    ]
    var count = 16
    // Each field starts at a multiple of eight and consists of its code, its signature, and a string with length and
    // NUL.
    for text in texts where text != nil {
      count += (4 + 5 + (text.map { strnlen($0, max(limit, 0)) } ?? 0) + 7) / 8 * 8
    }
    let signature = dbus_message_get_signature(raw).map { strnlen($0, 256) } ?? 0
    if signature > 0 { count += (4 + 2 + signature + 7) / 8 * 8 }
    if replySerial != 0 { count += 8 }
    if hasDescriptors { count += 8 }
    return count <= limit ? count : nil
  }
}

/// Adds up the wire sizes of values, including padding.
nonisolated private struct WireSize {
  private(set) var bytes = 0
  let limit: Int

  init(limit: Int) { self.limit = limit }

  /// Adds all remaining values of the iterator. Returns false as soon as the limit is exceeded.
  mutating func addAll(in iterator: inout DBusMessageIter) -> Bool {
    while dbus_message_iter_get_arg_type(&iterator) != cdbus_type_invalid {
      guard addValue(at: &iterator) else { return false }
      dbus_message_iter_next(&iterator)
    }
    return bytes <= limit
  }

  private mutating func addValue(at iterator: inout DBusMessageIter) -> Bool {
    let type = dbus_message_iter_get_arg_type(&iterator)
    switch type {
    case cdbus_type_string, cdbus_type_object_path: return add(4, alignedTo: 4) && addText(at: &iterator)
    case cdbus_type_signature: return add(1, alignedTo: 1) && addText(at: &iterator)
    case cdbus_type_variant: return addVariant(at: &iterator)
    case cdbus_type_struct, cdbus_type_dict_entry: return add(0, alignedTo: 8) && addContents(of: &iterator)
    case cdbus_type_array: return addArray(at: &iterator)
    default:
      let size = Self.size(of: type)
      return add(size, alignedTo: size)
    }
  }

  private mutating func add(_ count: Int, alignedTo alignment: Int) -> Bool {
    bytes = (bytes + alignment - 1) / alignment * alignment + count
    return bytes <= limit
  }

  private mutating func addText(at iterator: inout DBusMessageIter) -> Bool {
    var text: UnsafePointer<CChar>?
    dbus_message_iter_get_basic(&iterator, &text)
    return add((text.map { strnlen($0, limit) } ?? 0) + 1, alignedTo: 1)
  }

  private mutating func addContents(of iterator: inout DBusMessageIter) -> Bool {
    var inner = DBusMessageIter()
    dbus_message_iter_recurse(&iterator, &inner)
    return addAll(in: &inner)
  }

  private mutating func addVariant(at iterator: inout DBusMessageIter) -> Bool {
    var inner = DBusMessageIter()
    dbus_message_iter_recurse(&iterator, &inner)
    guard let signature = dbus_message_iter_get_signature(&inner) else { fatalError("out of memory") }
    defer { dbus_free(signature) }
    return add(2 + strlen(signature), alignedTo: 1) && addValue(at: &inner)
  }

  private mutating func addArray(at iterator: inout DBusMessageIter) -> Bool {
    guard add(4, alignedTo: 4) else { return false }
    let type = dbus_message_iter_get_element_type(&iterator)
    guard dbus_type_is_fixed(type) != 0 else {
      // The padding before the first element is present even in an empty array.
      let isWide = type == cdbus_type_struct || type == cdbus_type_dict_entry
      return add(0, alignedTo: isWide ? 8 : 1) && addContents(of: &iterator)
    }
    let size = Self.size(of: type)
    return add(0, alignedTo: size) && add(Int(dbus_message_iter_get_element_count(&iterator)) * size, alignedTo: 1)
  }

  /// Returns the size of a number, which equals its alignment.
  private static func size(of type: Int32) -> Int {
    switch type {
    case cdbus_type_byte: 1
    case cdbus_type_int16, cdbus_type_uint16: 2
    case cdbus_type_int64, cdbus_type_uint64, cdbus_type_double: 8
    default: 4
    }
  }
}
