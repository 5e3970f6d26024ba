// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistProcessSupport
import Glibc
import MainLoop

/// Standard output, written without a buffer: a reader gets each line immediately, and errors are noticed.
final class StandardOutput {
  /// Whether standard output is a terminal.
  let isOnTerminal: Bool
  /// Whether standard output is a terminal that understands control sequences.
  let isTerminal: Bool
  /// Whether to use colours: on such a terminal, unless `NO_COLOR` is set (no-color.org).
  let hasColors: Bool
  /// Whether standard error is a terminal on which a line can be replaced, and the program has not ended.
  private var showsProgress: Bool
  /// Called once when nothing more can be written, with the reason; nil if the reader has exited.
  var onEnd: ((String?) -> Void)? { didSet { watchReader() } }

  private var reader: LoopSource?
  private var progress = ""
  private var atEnd: [() -> Void] = []

  init() {
    let isDumb = StandardOutput.variable("TERM").map { $0 == "dumb" || $0.isEmpty } ?? true
    isOnTerminal = isatty(STDOUT_FILENO) == 1
    isTerminal = isOnTerminal && !isDumb
    hasColors = isTerminal && (StandardOutput.variable("NO_COLOR") ?? "").isEmpty
    showsProgress = isatty(STDERR_FILENO) == 1 && !isDumb
  }

  /// Writes the text as it is. Text that cannot be written is lost, and `onEnd` is called.
  func write(_ text: String) {
    guard let code = StandardStream.write(text, to: STDOUT_FILENO) else { return }
    ended(code == EPIPE ? nil : String(cString: strerror(code)))
  }

  func line(_ text: String) { write(text + "\n") }

  var columns: Int { Self.size.map { Int($0.ws_col) }.flatMap { $0 > 0 ? $0 : nil } ?? 80 }

  var rows: Int { Self.size.map { Int($0.ws_row) }.flatMap { $0 > 0 ? $0 : nil } ?? 24 }

  private static var size: winsize? {
    var size = winsize()
    return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
  }

  /// Replaces the progress line on standard error, if that is a terminal.
  func showProgress(_ text: String) {
    guard showsProgress, text != progress else { return }
    progress = text
    StandardError.write("\r\u{1B}[K" + Text.shortened(text, to: columns - 1))
  }

  func clearProgress() {
    guard !progress.isEmpty else { return }
    progress = ""
    StandardError.write("\r\u{1B}[K")
  }

  /// Clears the progress line and shows none any more, because timers may still fire until the main loop has ended.
  func endProgress() {
    clearProgress()
    showsProgress = false
  }

  /// Calls `action` in `restore()`, before the earlier ones.
  func whenEnding(_ action: @escaping () -> Void) { atEnd.append(action) }

  /// Restores the terminal before the program ends.
  func restore() {
    clearProgress()
    while let action = atEnd.popLast() { action() }
  }

  private func ended(_ reason: String?) {
    let action = onEnd
    onEnd = nil
    action?(reason)
  }

  /// Watches the reader of a pipe: when it exits, the program ends immediately, and not with the next line.
  private func watchReader() {
    var status = stat()
    guard onEnd != nil, reader == nil, fstat(STDOUT_FILENO, &status) == 0 else { return }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFIFO || kind == S_IFSOCK else { return }
    reader = MainLoop.main.watch(descriptor: STDOUT_FILENO, for: .error) { [weak self] _ in
      self?.reader?.cancel()
      self?.ended(nil)
    }
  }

  /// Continues the program after the reader of a pipe has exited, until a line cannot be written.
  func ignoreReader() { reader?.cancel() }

  private static func variable(_ name: String) -> String? { g_getenv(name).map { String(cString: $0) } }
}

/// Lines at the bottom of a terminal that are redrawn in place.
final class LiveRegion {
  private let output: StandardOutput
  private var height = 0

  init(on output: StandardOutput) { self.output = output }

  /// Draws below what is on the terminal now, since another program has written there.
  func startAgain() { height = 0 }

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
    guard Self.silence(before) else { return nil }
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

  /// Sets up the terminal again after the program was stopped and continued in the foreground.
  func resume() { if tcgetpgrp(STDIN_FILENO) == getpgrp() { _ = Self.silence(before) } }

  private static func silence(_ terminal: termios) -> Bool {
    var quiet = terminal
    quiet.c_lflag &= ~tcflag_t(ICANON | ECHO)
    return tcsetattr(STDIN_FILENO, TCSANOW, &quiet) == 0
  }

  func restore() {
    watch = nil
    // The shell has restored the terminal of a background process, which the kernel would stop here.
    if tcgetpgrp(STDIN_FILENO) == getpgrp() { tcsetattr(STDIN_FILENO, TCSANOW, &before) }
  }
}
