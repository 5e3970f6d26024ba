// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus

/// A string that libdbus has validated for its purpose.
///
/// libdbus aborts the process on an invalid name, so every name passed to it must have one of these types.
///
/// Names can be written as literals. An invalid literal traps.
nonisolated public protocol ValidatedName: Hashable, Comparable, Sendable, CustomStringConvertible,
  ExpressibleByStringLiteral
where StringLiteralType == StaticString {
  /// The string itself.
  var rawValue: String { get }
  /// Returns whether libdbus accepts the string. Must not abort for any input.
  static func isValid(_ string: UnsafePointer<CChar>) -> Bool
  /// Creates a name from a string that has been validated.
  init(_ text: ValidatedText)
}

/// A string that a ``ValidatedName`` has accepted. Only this package creates one.
nonisolated public struct ValidatedText {
  let rawValue: String
}

nonisolated extension ValidatedName {
  /// Creates a name, or returns nil if the string is not valid.
  public init?(validating string: String) {
    // An embedded NUL would end the C string early, so only part of the name would be validated.
    guard !string.utf8.contains(0), string.withCString(Self.isValid) else { return nil }
    self.init(unchecked: string)
  }

  /// Creates a name from a string that libdbus has created or validated.
  package init(unchecked string: String) { self.init(ValidatedText(rawValue: string)) }

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
