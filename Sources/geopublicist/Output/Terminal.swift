// SPDX-License-Identifier: Apache-2.0
import Glibc
import MainLoop

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

/// Reads single keys from the terminal, which does not echo them meanwhile.
final class Keyboard {
  private var before = termios()
  private var watch: LoopSource?

  /// Starts reading; returns nil if standard input is not a terminal that this program may change.
  init?(_ onKey: @escaping (UInt8) -> Void) {
    // The kernel would stop a background process that changes the terminal.
    guard tcgetattr(STDIN_FILENO, &before) == 0, tcgetpgrp(STDIN_FILENO) == getpgrp() else { return nil }
    var quiet = before
    quiet.c_lflag &= ~tcflag_t(ICANON | ECHO)
    guard tcsetattr(STDIN_FILENO, TCSANOW, &quiet) == 0 else { return nil }
    watch = MainLoop.main.watch(descriptor: STDIN_FILENO, for: .readable) { [weak self] _ in
      var keys = [UInt8](repeating: 0, count: 64)
      let count = read(STDIN_FILENO, &keys, keys.count)
      guard count > 0 else {
        self?.watch = nil
        return
      }
      for key in keys.prefix(count) { onKey(key) }
    }
  }

  /// Restores the settings of the terminal.
  func restore() {
    watch = nil
    tcsetattr(STDIN_FILENO, TCSANOW, &before)
  }
}
