// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus

/// A string that libdbus has validated for its purpose.
///
/// libdbus aborts the process on an invalid name, so every name that reaches it has passed through one of these types.
///
/// A literal is a name, too; an invalid literal stops the program.
nonisolated public protocol ValidatedName: Hashable, Comparable, Sendable, CustomStringConvertible,
  ExpressibleByStringLiteral
where StringLiteralType == StaticString {
  /// The string itself.
  var rawValue: String { get }
  /// Validates the string with libdbus; must not abort for any input.
  static func isValid(_ string: UnsafePointer<CChar>) -> Bool
  /// Creates a name from a string that libdbus has created or checked.
  init(unchecked rawValue: String)
}

nonisolated extension ValidatedName {
  /// The name, or nil if the string is not a valid one.
  public init?(validating string: String) {
    // An embedded NUL would end the C string early, and a different name would be checked and used.
    guard !string.utf8.contains(0), string.withCString(Self.isValid) else { return nil }
    self.init(unchecked: string)
  }

  /// Creates a name from a literal.
  public init(_ literal: StaticString) { self.init(stringLiteral: literal) }

  public init(stringLiteral literal: StaticString) {
    let string = literal.description
    precondition(string.withCString(Self.isValid), "not a valid \(Self.self): \(string)")
    self.init(unchecked: string)
  }

  public var description: String { rawValue }

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
