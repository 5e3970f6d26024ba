// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import Glibc

/// Returns a text in the user's language.
///
/// `po/update.py` collects the arguments, so they are literals. Without ``Translations/open()``, as in the service,
/// which loads no catalog, the text is returned as it is.
nonisolated public func tr(_ phrase: Phrase) -> String { phrase.filled(into: translated(phrase.key)) }

/// Returns the form of a text that a number requires in the user's language.
nonisolated public func tr(_ one: Phrase, _ many: Phrase, count: Int) -> String {
  let text = one.key.withCString { one in
    many.key.withCString { many in g_dngettext(nil, one, many, gulong(count.magnitude)).map { String(cString: $0) } }
  }
  return many.filled(into: text ?? many.key)
}

/// Returns a sentence of the service in the user's language; any other text as it is.
nonisolated public func tr(received sentence: String) -> String { translated(sentence) }

nonisolated private func translated(_ key: String) -> String {
  // The translation of an empty text is the header of the catalog.
  key.isEmpty ? key : key.withCString { text in g_dgettext(nil, text).map { String(cString: $0) } } ?? key
}

/// A text with separate values: catalogs have `{1}`, `{2}` … in their places, in any order.
nonisolated public struct Phrase: ExpressibleByStringInterpolation {
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var pieces = [""]
    fileprivate var values: [String] = []

    public init(literalCapacity: Int, interpolationCount: Int) {}

    public mutating func appendLiteral(_ literal: String) { pieces[pieces.count - 1] += literal }

    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      values.append(value.description)
      pieces.append("")
    }
  }

  /// The texts between the values.
  private let pieces: [String]
  private let values: [String]

  private init(pieces: [String], values: [String]) { (self.pieces, self.values) = (pieces, values) }

  public init(stringLiteral text: String) { self.init(pieces: [text], values: []) }

  public init(stringInterpolation text: StringInterpolation) { self.init(pieces: text.pieces, values: text.values) }

  public static func + (left: Phrase, right: Phrase) -> Phrase {
    let seam = (left.pieces.last ?? "") + (right.pieces.first ?? "")
    return Phrase(
      pieces: left.pieces.dropLast() + [seam] + right.pieces.dropFirst(), values: left.values + right.values)
  }

  /// The key of the text in the catalogs.
  fileprivate var key: String {
    pieces.dropFirst().enumerated().reduce(pieces.first ?? "") { "\($0){\($1.offset + 1)}\($1.element)" }
  }

  /// Puts the values into their places; braces in values are not placeholders.
  fileprivate func filled(into text: String) -> String {
    var result = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
      result += rest[..<open]
      rest = rest[open...]
      let number = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
      guard let place = Int(number), values.indices.contains(place - 1), rest.dropFirst(1 + number.count).first == "}"
      else {
        result.append(rest.removeFirst())
        continue
      }
      result += values[place - 1]
      rest = rest.dropFirst(number.count + 2)
    }
    return result + rest
  }
}

/// The catalogs of translations, beside the program: `../share/locale`.
nonisolated public enum Translations {
  /// Selects the user's language.
  public static func open() {
    // Other character sets lack letters of some languages.
    guard g_get_charset(nil) != 0 else { return }
    setlocale(LC_MESSAGES, "")
    guard let prefix = OwnProgram.prefix else { return }
    bindtextdomain("geopublicist", "\(prefix)/share/locale")
    bind_textdomain_codeset("geopublicist", "UTF-8")
    textdomain("geopublicist")
  }

  /// Returns to the language of the source, for output that programs read.
  public static func close() { setlocale(LC_MESSAGES, "C") }
}
