// SPDX-License-Identifier: Apache-2.0
import GeopublicistProcessSupport

/// A text with fields in braces, such as `{latitude:.4}, {longitude:.4}`.
nonisolated struct Template {
  enum Field {
    /// A number, and its digits after the point unless the template says otherwise.
    case number(Double, digits: Int)
    case text(String)
  }

  private enum Part {
    case text(String)
    case field(String, digits: Int?)
  }

  /// A double has no more significant digits.
  private static let mostDigits = 15
  private var parts: [Part] = []

  /// Reads a template; throws if a brace is open, a field unknown or a precision invalid.
  ///
  /// `{{` and `}}` stand for braces, `\n` and `\t` for a line end and a tab.
  init(_ template: String, fields: [String]) throws(UsageError) {
    var rest = template[...]
    var text = ""
    while let character = rest.popFirst() {
      switch (character, rest.first) {
      case ("{", "{"), ("}", "}"):
        text.append(character)
        rest = rest.dropFirst()
      case ("\\", "n"), ("\\", "t"): text.append(rest.popFirst() == "n" ? "\n" : "\t")
      case ("{", _):
        guard let end = rest.firstIndex(of: "}") else { throw .init("--format has a '{' without its '}'") }
        if !text.isEmpty { parts.append(.text(text)) }
        text = ""
        parts.append(try Self.field(rest[..<end], of: fields))
        rest = rest[rest.index(after: end)...]
      case ("}", _): throw .init("--format has a '}' without its '{'; write '}}' for a brace")
      default: text.append(character)
      }
    }
    if !text.isEmpty { parts.append(.text(text)) }
  }

  /// Returns the text with every field replaced by its value, or by `-` if it has none.
  func text(_ value: (String) -> Field?) -> String {
    parts.map { part in
      switch part {
      case .text(let text): return text
      case .field(let name, let digits):
        switch value(name) {
        case .number(let number, let usual):
          return digits.map { Number.fixed(number, $0) } ?? Number.short(number, usual)
        case .text(let text): return Text.plain(text)
        case nil: return "-"
        }
      }
    }.joined()
  }

  private static func field(_ content: Substring, of fields: [String]) throws(UsageError) -> Part {
    let pieces = content.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(pieces[0])
    guard fields.contains(name) else {
      throw .init("--format has no field '\(name)'; the fields are \(fields.joined(separator: ", "))")
    }
    guard pieces.count > 1 else { return .field(name, digits: nil) }
    guard pieces[1].hasPrefix("."), let digits = Int(pieces[1].dropFirst()), (0...mostDigits).contains(digits) else {
      throw .init("--format takes a precision from .0 to .\(mostDigits), as in {\(name):.4}")
    }
    return .field(name, digits: digits)
  }
}
