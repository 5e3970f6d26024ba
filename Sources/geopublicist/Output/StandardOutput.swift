// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import Glibc
import MainLoop

/// Standard output: written at once, line by line, whatever is behind it, and aware of who reads.
final class StandardOutput {
  /// Somebody looks at it, on a terminal that understands control sequences.
  let isTerminal: Bool
  /// Colours are wanted: on a terminal, unless `NO_COLOR` is set (no-color.org).
  let hasColors: Bool
  /// Standard error is a terminal, so that a line that shows progress may be written there.
  let showsProgress: Bool
  /// Called once when nothing can be written any more: nil if nobody reads, otherwise why.
  var onEnd: ((String?) -> Void)? { didSet { watchReader() } }

  private var reader: LoopSource?
  private var progress = ""
  private var atEnd: (() -> Void)?

  init() {
    let isDumb = StandardOutput.variable("TERM").map { $0 == "dumb" || $0.isEmpty } ?? true
    isTerminal = isatty(STDOUT_FILENO) == 1 && !isDumb
    hasColors = isTerminal && (StandardOutput.variable("NO_COLOR") ?? "").isEmpty
    showsProgress = isatty(STDERR_FILENO) == 1 && !isDumb
  }

  /// Writes the text as it is; what cannot be written is lost, and whoever ends the program is told.
  @discardableResult func write(_ text: String) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { GeopublicistCGLib.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count > 0 {
        bytes = bytes.dropFirst(count)
      } else if errno == EAGAIN {
        var descriptor = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        poll(&descriptor, 1, -1)
      } else if errno != EINTR {
        ended(errno == EPIPE ? nil : String(cString: strerror(errno)))
        return false
      }
    }
    return true
  }

  /// Writes one line.
  func line(_ text: String) { write(text + "\n") }

  /// Columns of the terminal.
  var columns: Int { Self.size.map { Int($0.ws_col) }.flatMap { $0 > 0 ? $0 : nil } ?? 80 }

  /// Lines of the terminal.
  var rows: Int { Self.size.map { Int($0.ws_row) }.flatMap { $0 > 0 ? $0 : nil } ?? 24 }

  private static var size: winsize? {
    var size = winsize()
    return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
  }

  /// Shows a line of progress in place of the one before, if there is a terminal for it.
  func showProgress(_ text: String) {
    guard showsProgress, text != progress else { return }
    progress = text
    StandardOutput.writeError("\r\u{1B}[K" + Text.shortened(text, to: columns - 1))
  }

  /// Takes the line of progress away.
  func clearProgress() {
    guard !progress.isEmpty else { return }
    progress = ""
    StandardOutput.writeError("\r\u{1B}[K")
  }

  /// Calls `action` when the program ends, to leave the terminal as it was.
  func whenEnding(_ action: @escaping () -> Void) { atEnd = action }

  /// Leaves the terminal as it was.
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

  /// A pipe whose reader has gone is noticed at once, and not with the next fix, which may be long in coming.
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

  private static func variable(_ name: String) -> String? { g_getenv(name).map { String(cString: $0) } }

  private static func writeError(_ text: String) {
    _ = text.withCString { GeopublicistCGLib.write(STDERR_FILENO, $0, strlen($0)) }
  }
}
