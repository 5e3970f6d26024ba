// SPDX-License-Identifier: Apache-2.0
import GeopublicistProcessSupport

/// A text with fields in braces, such as `{latitude:.4}, {longitude:.4}`, checked before it is used.
nonisolated struct Template {
  /// What a field stands for.
  enum Field {
    /// A number, and how many digits it has unless the template says otherwise.
    case number(Double, digits: Int)
    case text(String)
  }

  private enum Part {
    case text(String)
    case field(String, digits: Int?)
  }

  /// More digits mean nothing in a double.
  private static let mostDigits = 15
  private var parts: [Part] = []

  /// Reads a template; throws a sentence for its author if a brace is open, a field unknown or a precision wrong.
  ///
  /// `{{` and `}}` are braces, `\n` and `\t` a line end and a tab.
  init(_ template: String, fields: [String]) throws(OptionParser.UsageError) {
    var rest = template[...]
    var text = ""
    while let character = rest.popFirst() {
      switch (character, rest.first) {
      case ("{", "{"), ("}", "}"):
        text.append(character)
        rest = rest.dropFirst()
      case ("\\", "n"), ("\\", "t"):
        text.append(rest.popFirst() == "n" ? "\n" : "\t")
      case ("{", _):
        guard let end = rest.firstIndex(of: "}") else { throw .init(message: "--format has a '{' without its '}'") }
        if !text.isEmpty { parts.append(.text(text)) }
        text = ""
        parts.append(try Self.field(rest[..<end], of: fields))
        rest = rest[rest.index(after: end)...]
      case ("}", _): throw .init(message: "--format has a '}' without its '{'; write '}}' for the brace itself")
      default: text.append(character)
      }
    }
    if !text.isEmpty { parts.append(.text(text)) }
  }

  /// Returns the text with every field replaced; a field without a value is `-`.
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

  private static func field(_ content: Substring, of fields: [String]) throws(OptionParser.UsageError) -> Part {
    let pieces = content.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(pieces[0])
    guard fields.contains(name) else {
      throw .init(message: "--format has no field '\(name)'; there are \(fields.joined(separator: ", "))")
    }
    guard pieces.count > 1 else { return .field(name, digits: nil) }
    guard pieces[1].hasPrefix("."), let digits = Int(pieces[1].dropFirst()), (0...mostDigits).contains(digits) else {
      throw .init(message: "--format takes a precision from .0 to .\(mostDigits), as in {\(name):.4}")
    }
    return .field(name, digits: digits)
  }
}
