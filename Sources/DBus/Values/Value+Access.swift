// SPDX-License-Identifier: Apache-2.0
// MARK: - Typed access: nil if the value has a different type
nonisolated extension Value {
  /// The value of a `y`.
  public var byte: UInt8? { if case .byte(let value) = self { value } else { nil } }
  /// The value of a `b`.
  public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
  /// The value of an `n`.
  public var int16: Int16? { if case .int16(let value) = self { value } else { nil } }
  /// The value of a `q`.
  public var uint16: UInt16? { if case .uint16(let value) = self { value } else { nil } }
  /// The value of a `u`.
  public var uint32: UInt32? { if case .uint32(let value) = self { value } else { nil } }
  /// The value of an `i`.
  public var int32: Int32? { if case .int32(let value) = self { value } else { nil } }
  /// The value of an `x`.
  public var int64: Int64? { if case .int64(let value) = self { value } else { nil } }
  /// The value of a `t`.
  public var uint64: UInt64? { if case .uint64(let value) = self { value } else { nil } }
  /// The value of a `d`, which may be infinite or NaN.
  public var double: Double? { if case .double(let value) = self { value } else { nil } }
  /// The value of an `s`.
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  /// The value of an `o`.
  public var objectPath: ObjectPath? { if case .objectPath(let value) = self { value } else { nil } }
  /// The value of a `g`.
  public var signatureValue: Signature? { if case .signature(let value) = self { value } else { nil } }
  /// The file descriptor of an `h`.
  public var descriptor: OwnedDescriptor? { if case .descriptor(let value) = self { value } else { nil } }
  /// The fields of a structure.
  public var structure: [Value]? { if case .structure(let fields) = self { fields } else { nil } }
  /// The bytes of an `ay`.
  public var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
  /// The elements of an `as`.
  public var strings: [String]? {
    if case .array(.string, let elements) = self { elements.compactMap(\.string) } else { nil }
  }
  /// The elements of an array. Nil for a dictionary and for an `ay`.
  public var array: [Value]? { if case .array(_, let elements) = self { elements } else { nil } }

  /// The content of a variant with any number of nested variants removed, or the value itself if it is not a variant.
  public var unwrapped: Value {
    var value = self
    while case .variant(let inner) = value { value = inner }
    return value
  }

  /// The entries of an `a{sv}` in order, without the variant around each value.
  public var options: [(name: String, value: Value)]? {
    guard case .dictionary(.string, .variant, let entries) = self else { return nil }
    return entries.compactMap { entry in
      guard let name = entry.key.string, case .variant(let value) = entry.value else { return nil }
      return (name, value)
    }
  }

  /// An `a{sv}` as a dictionary. If a key is repeated, the last value counts.
  public var properties: [String: Value]? {
    guard let options else { return nil }
    return Dictionary(options.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
  }
}

// MARK: - Literals
nonisolated extension Value: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByDictionaryLiteral
{
  /// An `s`.
  public init(stringLiteral text: String) { self = .string(text) }
  /// A `b`.
  public init(booleanLiteral flag: Bool) { self = .boolean(flag) }
  /// A `d`.
  public init(floatLiteral number: Double) { self = .double(number) }
  /// An `i`, as in other libraries. Other integers are written with their type: `.uint32(1)`.
  public init(integerLiteral number: Int32) { self = .int32(number) }
  /// An `a{sv}`.
  public init(dictionaryLiteral pairs: (String, Value)...) { self = .options(pairs) }
}

// MARK: - Convenience constructors
nonisolated extension Value {
  /// Creates an `a{sv}` from values, each wrapped in a variant.
  public static func options(_ pairs: [(String, Value)]) -> Value {
    .dictionary(key: .string, value: .variant, pairs.map { Entry(.string($0.0), .variant($0.1)) })
  }

  /// Creates an `as`.
  public static func strings(_ strings: [String]) -> Value {
    .array(.string, strings.map { .string($0) })
  }
}
