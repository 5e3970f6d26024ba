// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A JSON value, used between the tests and the rig's Python programs.
///
/// A D-Bus variant is an object with a signature `t` and a value `v`; subscripts and the readers below look through it.
public nonisolated enum JSON: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  /// A variant.
  ///
  /// - Parameter signature: The signature of its value, such as `u` or `a{sv}`.
  public static func variant(_ signature: String, _ value: JSON) -> JSON {
    .object(["t": .string(signature), "v": value])
  }

  /// The signature of a variant's value; nil for other values.
  public var variantType: String? {
    guard case .object(let members) = self, members.count == 2, case .string(let type)? = members["t"],
      members["v"] != nil
    else { return nil }
    return type
  }

  /// A variant's value; other values are returned unchanged.
  public var content: JSON {
    guard variantType != nil, case .object(let members) = self, let value = members["v"] else { return self }
    return value.content
  }

  public subscript(key: String) -> JSON? { if case .object(let members) = content { members[key] } else { nil } }

  public subscript(index: Int) -> JSON? {
    guard case .array(let items) = content, items.indices.contains(index) else { return nil }
    return items[index]
  }

  public var keys: [String] { if case .object(let members) = content { members.keys.sorted() } else { [] } }
  public var array: [JSON]? { if case .array(let items) = content { items } else { nil } }
  public var string: String? { if case .string(let text) = content { text } else { nil } }
  public var bool: Bool? { if case .bool(let value) = content { value } else { nil } }
  public var integer: Int64? { if case .integer(let value) = content { value } else { nil } }

  public var number: Double? {
    switch content {
    case .number(let value): value
    case .integer(let value): Double(value)
    default: nil
    }
  }

  public var line: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { return "null" }
    return String(decoding: data, as: UTF8.self)
  }

  /// Reads a line of text; nil if it is not JSON.
  public init?(line: String) {
    // A decoder would try one type after the other for each value: a hundred times slower.
    guard let value = try? JSONSerialization.jsonObject(with: Data(line.utf8), options: .fragmentsAllowed) else {
      return nil
    }
    self.init(value)
  }

  private init(_ value: Any) {
    switch value {
    case let value as String: self = .string(value)
    case let value as [String: Any]: self = .object(value.mapValues(JSON.init))
    case let value as [Any]: self = .array(value.map(JSON.init))
    // Foundation's type of a Boolean.
    case let value as NSNumber where String(cString: value.objCType) == "c": self = .bool(value.boolValue)
    case let value as NSNumber:
      self = Int64(exactly: value.doubleValue).map { _ in .integer(value.int64Value) } ?? .number(value.doubleValue)
    default: self = .null
    }
  }
}

nonisolated extension JSON: Equatable {
  /// JSON has only one type of numbers, so 1 equals 1.0.
  public static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.integer(let left), .number(let right)), (.number(let right), .integer(let left)): Double(left) == right
    case (.string(let left), .string(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }
}

nonisolated extension JSON: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}

nonisolated extension JSON: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Dictionary(uniqueKeysWithValues: elements))
  }
}
