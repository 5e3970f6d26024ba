// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// The program's log through GLib: to the journal with its fields when it runs as a service, to standard error
/// otherwise. No message ever has a coordinate in it.
public enum Log {
  /// How important a message is; the numbers are syslog's.
  nonisolated public enum Level: Int32, Comparable, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7

    /// The names that systemd uses for syslog's levels; the three above `err` are the same here.
    public init?(syslogName: String) {
      switch syslogName {
      case "emerg", "alert", "crit", "err": self = .error
      case "warning": self = .warning
      case "notice": self = .notice
      case "info": self = .info
      case "debug": self = .debug
      default: return nil
      }
    }

    public var syslogName: String {
      switch self {
      case .error: "err"
      case .warning: "warning"
      case .notice: "notice"
      case .info: "info"
      case .debug: "debug"
      }
    }

    /// All names, for messages.
    public static let syslogNames = "emerg, alert, crit, err, warning, notice, info, debug"

    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

    fileprivate var flags: GLogLevelFlags {
      switch self {
      // Not GLib's own "error", which would end the program.
      case .error: G_LOG_LEVEL_CRITICAL
      case .warning: G_LOG_LEVEL_WARNING
      case .notice: G_LOG_LEVEL_MESSAGE
      case .info: G_LOG_LEVEL_INFO
      case .debug: G_LOG_LEVEL_DEBUG
      }
    }
  }

  /// The least important level that is still written.
  public static var maximumLevel = Level.info

  /// What the journal calls the program.
  public static let identifier = "geopublicist"

  /// Where messages go.
  public static var target: String { isJournal ? "journal" : "console" }

  private static let isJournal = journal != nil
  /// Not GLib's writer, which waits for a journal that does not read, and with it this whole program.
  private static let journal: JournalSocket? = g_log_writer_is_journald(STDERR_FILENO) != 0 ? JournalSocket() : nil

  /// Takes over GLib's writer, so that libraries' messages obey the level, too.
  public static func install() {
    // Standard output belongs to what a program was asked for.
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

  /// Writes a message, with more fields for the journal.
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
  public static func debug(_ message: String) { write(.debug, message) }
}
