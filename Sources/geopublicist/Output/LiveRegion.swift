// SPDX-License-Identifier: Apache-2.0
/// Some lines at the bottom of a terminal that are drawn again and again in the same place.
final class LiveRegion {
  private let output: StandardOutput
  private var height = 0

  init(on output: StandardOutput) { self.output = output }

  /// Replaces what was drawn before.
  func draw(_ lines: [String]) {
    // What does not fit would be left behind above at each drawing; the end of it is what people look for.
    let lines = lines.suffix(max(1, output.rows - 1))
    // Up to the first line, each line cut off at the edge instead of wrapped, and what is left of longer ones erased.
    let start = height > 0 ? "\u{1B}[\(height)A\r" : "\r"
    let body = lines.map { "\($0)\u{1B}[K\n" }.joined()
    output.write("\u{1B}[?7l" + start + body + "\u{1B}[J\u{1B}[?7h")
    height = lines.count
  }
}
