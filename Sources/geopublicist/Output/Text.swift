// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// Text on its way to a terminal.
nonisolated enum Text {
  /// Filled with spaces on the right.
  static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// Cut to a number of characters.
  static func shortened(_ text: String, to width: Int) -> String {
    text.count <= width ? text : String(text.prefix(max(0, width)))
  }

  /// Cut at spaces into lines of so many characters; a word that is longer has a line of its own.
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

  /// A text from outside without what could steer the terminal.
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

/// How something is emphasised, where there are colours.
nonisolated enum Emphasis: String {
  case good = "\u{1B}[32m"
  case doubtful = "\u{1B}[33m"
  case bad = "\u{1B}[31m"
  case strong = "\u{1B}[1m"
  case faint = "\u{1B}[2m"

  func around(_ text: String, _ output: Bool) -> String { output ? "\(rawValue)\(text)\u{1B}[0m" : text }
}
