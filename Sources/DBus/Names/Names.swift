// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus

/// The name of a connection: unique (`:1.42`) or well-known (`org.example.Name`).
nonisolated public struct BusName: ValidatedName {
  public let rawValue: String
  public init(_ text: ValidatedText) { rawValue = text.rawValue }
  public static func isValid(_ string: UnsafePointer<CChar>) -> Bool { dbus_validate_bus_name(string, nil) != 0 }

  /// Whether it is a unique name, which the bus never reuses.
  public var isUnique: Bool { rawValue.utf8.first == UInt8(ascii: ":") }

  /// The bus itself.
  public static let bus = BusName("org.freedesktop.DBus")
}

/// The path of an object: `/` or `/like/this_1`.
nonisolated public struct ObjectPath: ValidatedName {
  public let rawValue: String
  public init(_ text: ValidatedText) { rawValue = text.rawValue }
  public static func isValid(_ string: UnsafePointer<CChar>) -> Bool { dbus_validate_path(string, nil) != 0 }

  /// The root path `/`, which some services use for "none".
  public static let root = ObjectPath("/")

  /// Returns the path of a child whose last element is a number.
  public func child(_ number: UInt64) -> ObjectPath {
    ObjectPath(unchecked: self == .root ? "/\(number)" : "\(rawValue)/\(number)")
  }

  /// The prefix of all child paths: this path followed by a slash.
  var childPrefix: String { self == .root ? "/" : rawValue + "/" }
}

/// The name of an interface, such as `org.example.Interface`.
nonisolated public struct InterfaceName: ValidatedName {
  public let rawValue: String
  public init(_ text: ValidatedText) { rawValue = text.rawValue }
  public static func isValid(_ string: UnsafePointer<CChar>) -> Bool { dbus_validate_interface(string, nil) != 0 }
}

/// The name of a method, signal or property.
nonisolated public struct MemberName: ValidatedName {
  public let rawValue: String
  public init(_ text: ValidatedText) { rawValue = text.rawValue }
  public static func isValid(_ string: UnsafePointer<CChar>) -> Bool { dbus_validate_member(string, nil) != 0 }
}

/// The name of an error, such as `org.example.Error.Failed`.
nonisolated public struct ErrorName: ValidatedName {
  public let rawValue: String
  public init(_ text: ValidatedText) { rawValue = text.rawValue }
  public static func isValid(_ string: UnsafePointer<CChar>) -> Bool { dbus_validate_error_name(string, nil) != 0 }
}

/// A sequence of complete types, such as `a{sv}`. May be empty.
nonisolated public struct Signature: ValidatedName {
  public let rawValue: String
  public init(_ text: ValidatedText) { rawValue = text.rawValue }
  public static func isValid(_ string: UnsafePointer<CChar>) -> Bool { dbus_signature_validate(string, nil) != 0 }

  /// Whether it is exactly one complete type, as required for array elements.
  public var isSingle: Bool { isBasic || rawValue.withCString { dbus_signature_validate_single($0, nil) != 0 } }

  /// Whether it is one basic type, as required for dictionary keys.
  var isBasic: Bool {
    rawValue.utf8.count == 1 && rawValue.utf8.first.map { dbus_type_is_basic(Int32($0)) != 0 } ?? false
  }

  /// `s`
  public static let string = Signature("s")
  /// `v`
  public static let variant = Signature("v")
  /// `a{sv}`, the type of options and property lists.
  public static let variantDictionary = Signature("a{sv}")
}
