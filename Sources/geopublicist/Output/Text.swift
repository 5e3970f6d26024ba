// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// Text for a terminal.
nonisolated enum Text {
  /// Returns the text filled with spaces on the right.
  static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// Returns the text cut to a number of characters.
  static func shortened(_ text: String, to width: Int) -> String {
    text.count <= width ? text : String(text.prefix(max(0, width)))
  }

  /// Returns the text broken at spaces into lines of at most `width` characters; a longer word has its own line.
  static func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  /// Returns a text from outside without the characters that could control the terminal.
  static func plain(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter {
          switch $0.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator: false
          default: true
          }
        }))
  }

  /// Whether the terminal can show more than ASCII.
  static let isUnicode = g_get_charset(nil) != 0
}

/// How a text is emphasised, on a terminal with colours.
nonisolated enum Emphasis: String {
  case good = "\u{1B}[32m"
  case doubtful = "\u{1B}[33m"
  case bad = "\u{1B}[31m"
  case strong = "\u{1B}[1m"
  case faint = "\u{1B}[2m"

  func around(_ text: String, _ hasColors: Bool) -> String { hasColors ? "\(rawValue)\(text)\u{1B}[0m" : text }
}

/// Numbers as text, with a decimal point in every locale.
nonisolated enum Number {
  /// Returns a number with `digits` digits after the point.
  static func fixed(_ number: Double, _ digits: Int) -> String {
    guard number.isFinite else { return "?" }
    // Otherwise -0.0 would keep its sign.
    let rounded = number == 0 ? 0 : number
    // The longest double without an exponent has 309 digits before the point.
    var buffer = [CChar](repeating: 0, count: 512)
    return String(cString: g_ascii_formatd(&buffer, 512, "%.\(digits)f", rounded))
  }

  /// Returns a number with at most `digits` digits after the point.
  static func short(_ number: Double, _ digits: Int) -> String {
    let text = fixed(number, digits)
    guard text.contains(".") else { return text }
    let trimmed = text.reversed().drop { $0 == "0" }.drop { $0 == "." }
    return String(trimmed.reversed())
  }
}
