// SPDX-License-Identifier: Apache-2.0
extension Unicode.Scalar {
  /// Whether the character is printable on one line of a log or terminal. Excludes control and format characters (such
  /// as those that reverse the writing direction), line separators and unassigned characters.
  public var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }
}

extension String {
  /// The text for use between apostrophes. Apostrophes, backslashes and unprintable characters are escaped.
  public var escapedForQuotes: String {
    var result = ""
    for scalar in unicodeScalars {
      if scalar == "'" || scalar == "\\" {
        result += "\\\(scalar)"
      } else if scalar.isPrintable {
        result.unicodeScalars.append(scalar)
      } else {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return result
  }
}
