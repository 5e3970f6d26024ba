// SPDX-License-Identifier: Apache-2.0
/// A value of any D-Bus type.
///
/// Only large or recursive values are heap-allocated: a location consists of a dozen values, and allocating each would
/// cost more than sending it.
nonisolated public enum Value: Hashable, Sendable {
  /// `y`, 0 to 255.
  case byte(UInt8)
  /// `b`
  case boolean(Bool)
  /// `n`
  case int16(Int16)
  /// `q`
  case uint16(UInt16)
  /// `i`
  case int32(Int32)
  /// `u`
  case uint32(UInt32)
  /// `x`
  case int64(Int64)
  /// `t`
  case uint64(UInt64)
  /// `d`, any IEEE 754 value.
  case double(Double)
  /// `s`, UTF-8 without NUL.
  case string(String)
  /// `o`
  case objectPath(ObjectPath)
  /// `g`
  case signature(Signature)
  /// `h`, an open file descriptor.
  case descriptor(OwnedDescriptor)
  /// `ay`
  case bytes([UInt8])
  /// An array whose elements have the given single type. An `ay` is ``bytes(_:)`` instead.
  indirect case array(Signature, [Value])
  /// A dictionary whose keys and values have the given single types. Entries are in wire order and may be repeated.
  indirect case dictionary(key: Signature, value: Signature, [Entry])
  /// `(…)`, with at least one field.
  case structure([Value])
  /// `v`, a value with its type.
  indirect case variant(Value)

  /// An entry of a dictionary.
  public struct Entry: Hashable, Sendable {
    /// The key, of a basic type.
    public let key: Value
    /// The value, of any single type.
    public let value: Value
    /// Creates an entry. Its types must be those of the dictionary.
    public init(_ key: Value, _ value: Value) {
      self.key = key
      self.value = value
    }
  }

  /// The signature of the value's type.
  public var signature: String {
    switch self {
    case .byte: "y"
    case .boolean: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .signature: "g"
    case .descriptor: "h"
    case .variant: "v"
    case .bytes: "ay"
    case .array(let element, _): "a" + element.rawValue
    case .dictionary(let key, let value, _): "a{" + key.rawValue + value.rawValue + "}"
    case .structure(let fields): "(" + fields.map(\.signature).joined() + ")"
    }
  }
}
