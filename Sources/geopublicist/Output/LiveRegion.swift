// SPDX-License-Identifier: Apache-2.0
/// Lines at the bottom of a terminal that are redrawn in place.
final class LiveRegion {
  private let output: StandardOutput
  private var height = 0

  init(on output: StandardOutput) { self.output = output }

  /// Replaces what was drawn before.
  func draw(_ lines: [String]) {
    // Lines that scroll off the top could not be redrawn, so only the last ones are drawn.
    let lines = lines.suffix(max(1, output.rows - 1))
    // Moves up to the first line, turns wrapping off, and erases what is left of longer lines.
    let start = height > 0 ? "\u{1B}[\(height)A\r" : "\r"
    let body = lines.map { "\($0)\u{1B}[K\n" }.joined()
    output.write("\u{1B}[?7l" + start + body + "\u{1B}[J\u{1B}[?7h")
    height = lines.count
  }
}
