// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// Numbers as text, with a point in every language.
nonisolated enum Number {
  /// With exactly so many digits after the point.
  static func fixed(_ number: Double, _ digits: Int) -> String {
    guard number.isFinite else { return "?" }
    // -0.0 would be written with its sign.
    let rounded = number == 0 ? 0 : number
    return withBuffer { g_ascii_formatd($0, $1, "%.\(digits)f", rounded) }
  }

  /// With at most so many digits after the point.
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
