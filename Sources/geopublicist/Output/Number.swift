// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// Numbers as text, with a decimal point in every locale.
nonisolated enum Number {
  /// Returns a number with `digits` digits after the point.
  static func fixed(_ number: Double, _ digits: Int) -> String {
    guard number.isFinite else { return "?" }
    // Otherwise -0.0 would keep its sign.
    let rounded = number == 0 ? 0 : number
    return withBuffer { g_ascii_formatd($0, $1, "%.\(digits)f", rounded) }
  }

  /// Returns a number with at most `digits` digits after the point.
  static func short(_ number: Double, _ digits: Int) -> String {
    let text = fixed(number, digits)
    guard text.contains(".") else { return text }
    let trimmed = text.reversed().drop { $0 == "0" }.drop { $0 == "." }
    return String(trimmed.reversed())
  }

  private static func withBuffer(
    _ body: (UnsafeMutablePointer<CChar>, Int32) -> UnsafeMutablePointer<CChar>?
  ) -> String {
    // The longest double without an exponent has 309 digits before the point.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
      guard let start = buffer.baseAddress, let text = body(start, 512) else { return "?" }
      return String(cString: text)
    }
  }
}
