/// One value of any D-Bus type but file descriptors, which this package neither sends nor accepts.
nonisolated public indirect enum Value: Hashable, Sendable {
  case byte(UInt8)
  case boolean(Bool)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  case objectPath(ObjectPath)
  case signature(Signature)
  /// All elements have the given single type.
  case array(Signature, [Value])
  /// All keys and values have the given single types; in the order of the wire, doubles included.
  case dictionary(key: Signature, value: Signature, [Entry])
  case structure([Value])
  case variant(Value)

  /// One key of a dictionary with its value.
  public struct Entry: Hashable, Sendable {
    public let key: Value
    public let value: Value
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
    case .variant: "v"
    case .array(let element, _): "a" + element.rawValue
    case .dictionary(let key, let value, _): "a{" + key.rawValue + value.rawValue + "}"
    case .structure(let fields): "(" + fields.map(\.signature).joined() + ")"
    }
  }
}
