// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistProcessSupport
import Glibc
import MainLoop

/// Standard output, written without a buffer: a reader gets each line at once, and errors are noticed.
final class StandardOutput {
  /// Whether standard output is a terminal.
  let isOnTerminal: Bool
  /// Whether standard output is a terminal that understands control sequences.
  let isTerminal: Bool
  /// Whether to use colours: on such a terminal, unless `NO_COLOR` is set (no-color.org).
  let hasColors: Bool
  /// Whether standard error is a terminal on which a line can be replaced.
  let showsProgress: Bool
  /// Called once when nothing more can be written, with the reason; nil if the reader has gone.
  var onEnd: ((String?) -> Void)? { didSet { watchReader() } }

  private var reader: LoopSource?
  private var progress = ""
  private var atEnd: (() -> Void)?

  init() {
    let isDumb = StandardOutput.variable("TERM").map { $0 == "dumb" || $0.isEmpty } ?? true
    isOnTerminal = isatty(STDOUT_FILENO) == 1
    isTerminal = isOnTerminal && !isDumb
    hasColors = isTerminal && (StandardOutput.variable("NO_COLOR") ?? "").isEmpty
    showsProgress = isatty(STDERR_FILENO) == 1 && !isDumb
  }

  /// Writes the text as it is. What cannot be written is lost, and `onEnd` is called.
  func write(_ text: String) {
    guard let code = StandardStream.write(text, to: STDOUT_FILENO) else { return }
    ended(code == EPIPE ? nil : String(cString: strerror(code)))
  }

  func line(_ text: String) { write(text + "\n") }

  /// The columns of the terminal; 80 if unknown.
  var columns: Int { Self.size.map { Int($0.ws_col) }.flatMap { $0 > 0 ? $0 : nil } ?? 80 }

  /// The lines of the terminal; 24 if unknown.
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

  /// Calls `action` in `restore()`; replaces an earlier action.
  func whenEnding(_ action: @escaping () -> Void) { atEnd = action }

  /// Restores the terminal before the program ends.
  func restore() {
    clearProgress()
    atEnd?()
    atEnd = nil
  }

  private func ended(_ reason: String?) {
    let action = onEnd
    onEnd = nil
    action?(reason)
  }

  /// Watches the reader of a pipe: when it goes, the program ends at once, and not with the next line.
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

  /// Lets the program go on when the reader of a pipe goes, until a line cannot be written.
  func ignoreReader() { reader?.cancel() }

  private static func variable(_ name: String) -> String? { g_getenv(name).map { String(cString: $0) } }
}
