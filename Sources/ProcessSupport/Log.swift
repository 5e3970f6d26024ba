// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// Logs through GLib: to the journal, with fields, when run as a service, otherwise to standard error. Messages must
/// never contain a coordinate.
public enum Log {
  /// The severity of a message. Raw values are syslog's.
  nonisolated public enum Level: Int32, Comparable, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7

    /// systemd's names of syslog's levels, by number.
    private static let names = ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"]

    /// Creates a level from systemd's name. The three levels above `err` are treated like `err`.
    public init?(syslogName: String) {
      guard let number = Self.names.firstIndex(of: syslogName) else { return nil }
      self.init(rawValue: max(Self.error.rawValue, Int32(number)))
    }

    public var syslogName: String { Self.names[Int(rawValue)] }

    public static let syslogNames = names.joined(separator: ", ")

    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

    fileprivate var flags: GLogLevelFlags {
      switch self {
      // Not GLib's level "error", which would abort the program.
      case .error: cglib_log_level_critical
      case .warning: cglib_log_level_warning
      case .notice: cglib_log_level_message
      case .info: cglib_log_level_info
      case .debug: cglib_log_level_debug
      }
    }
  }

  /// The least severe level that is logged.
  public static var maximumLevel = Level.info

  public static let identifier = "geopublicist"

  /// Where messages are written: `journal` or `console`.
  public static var target: String { isJournal ? "journal" : "console" }

  private static let isJournal = journal != nil
  /// Used instead of GLib's writer, which blocks the whole program if the journal does not read.
  private static let journal: JournalSocket? = g_log_writer_is_journald(STDERR_FILENO) != 0 ? JournalSocket() : nil

  /// Installs the log writer, so that messages from libraries obey the level, too.
  public static func install() {
    // Standard output is reserved for the program's results.
    g_log_writer_default_set_use_stderr(1)
    g_log_set_writer_func(
      { level, fields, count, _ in
        guard let journal = Log.journal, let fields else {
          return g_log_writer_standard_streams(level, fields, count, nil)
        }
        journal.write(UnsafeBufferPointer(start: fields, count: Int(count)))
        return G_LOG_WRITER_HANDLED
      }, nil, nil)
  }

  /// Logs a message with additional fields for the journal.
  public static func write(_ level: Level, _ message: String, _ fields: [(String, String)] = []) {
    guard level <= maximumLevel else { return }
    let always = [
      ("MESSAGE", message), ("PRIORITY", "\(level.rawValue)"), ("SYSLOG_IDENTIFIER", identifier),
      ("GLIB_DOMAIN", identifier),
    ]
    let strings = (always + fields).map { (g_strdup($0.0), g_strdup($0.1)) }
    defer {
      for (key, value) in strings {
        g_free(key)
        g_free(value)
      }
    }
    let entries = strings.map { GLogField(key: UnsafePointer($0.0), value: UnsafeRawPointer($0.1), length: -1) }
    g_log_structured_array(level.flags, entries, gsize(entries.count))
  }

  public static func error(_ message: String) { write(.error, message) }
  public static func warning(_ message: String) { write(.warning, message) }
  public static func notice(_ message: String) { write(.notice, message) }
  public static func info(_ message: String) { write(.info, message) }
  /// Logs a message that is built only if this level is logged.
  public static func debug(_ message: @autoclosure () -> String) {
    if maximumLevel == .debug { write(.debug, message()) }
  }
}
