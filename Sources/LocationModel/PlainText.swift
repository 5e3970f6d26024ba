// SPDX-License-Identifier: Apache-2.0
extension Unicode.Scalar {
  /// Whether the character is printable on one line of a log or a terminal: no control or format characters, such as
  /// those that reverse the direction of writing, no line separators, and nothing that Unicode has not assigned.
  public var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }
}

extension String {
  /// The text for use between apostrophes: an apostrophe, a backslash and every character that is not printable are
  /// escaped.
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
