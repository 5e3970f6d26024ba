/// Text of a client that people read in a list or in the journal.
public enum PlainText {
  /// Whether every character shows as itself on one line: no control or format characters, such as those that reverse
  /// the direction of writing, no line or paragraph separators, and nothing that Unicode has not assigned.
  public static func isPlain(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isPlain) }

  /// The text for use between apostrophes: an apostrophe, a backslash and every character that is not plain are escaped.
  public static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if scalar == "'" || scalar == "\\" {
        result += "\\\(scalar)"
      } else if isPlain(scalar) {
        result.unicodeScalars.append(scalar)
      } else {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return result
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }
}
