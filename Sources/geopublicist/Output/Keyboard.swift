// SPDX-License-Identifier: Apache-2.0
import Glibc
import MainLoop

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
