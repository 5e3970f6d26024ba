// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistLocationModel
import GeopublicistProcessSupport

nonisolated enum Text {
  static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  static func shortened(_ text: String, to width: Int) -> String {
    text.count <= width ? text : String(text.prefix(max(0, width)))
  }

  /// Returns the text broken at spaces into lines of at most `width` characters; a longer word has its own line.
  static func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  /// Whether the terminal can show more than ASCII.
  static let isUnicode = g_get_charset(nil) != 0
}

/// How a text is emphasised, on a terminal with colours.
nonisolated enum Emphasis: String {
  case good = "\u{1B}[32m"
  case doubtful = "\u{1B}[33m"
  case bad = "\u{1B}[31m"
  case strong = "\u{1B}[1m"
  case faint = "\u{1B}[2m"

  func around(_ text: String, _ hasColors: Bool) -> String { hasColors ? "\(rawValue)\(text)\u{1B}[0m" : text }
}

/// Numbers as text, with a decimal point in every locale.
nonisolated enum Number {
  /// Returns a number with `digits` digits after the point.
  static func fixed(_ number: Double, _ digits: Int) -> String {
    guard number.isFinite else { return "?" }
    // Otherwise -0.0 would keep its sign.
    let rounded = number == 0 ? 0 : number
    // The longest double without an exponent has 309 digits before the point.
    var buffer = [CChar](repeating: 0, count: 512)
    return String(cString: g_ascii_formatd(&buffer, 512, "%.\(digits)f", rounded))
  }

  /// Returns a number with at most `digits` digits after the point.
  static func short(_ number: Double, _ digits: Int) -> String {
    let text = fixed(number, digits)
    guard text.contains(".") else { return text }
    let trimmed = text.reversed().drop { $0 == "0" }.drop { $0 == "." }
    return String(trimmed.reversed())
  }
}

nonisolated enum Moment {
  /// Returns a time in ISO 8601 and UTC, with milliseconds unless they are zero: for programs and files.
  static func iso(_ time: Timestamp) -> String {
    let milliseconds = time.microseconds / 1_000
    let fraction = milliseconds == 0 ? "" : "." + String(String(milliseconds + 1_000).dropFirst())
    return format(g_date_time_new_from_unix_utc(seconds(time)), "%Y-%m-%dT%H:%M:%S").map { $0 + fraction + "Z" } ?? "?"
  }

  /// Returns a time in the user's time zone, in a format of GLib.
  static func local(_ time: Timestamp, _ format: String = "%Y-%m-%d %H:%M:%S") -> String {
    self.format(g_date_time_new_from_unix_local(seconds(time)), format) ?? "?"
  }

  static func utc(_ time: Timestamp, _ format: String) -> String {
    self.format(g_date_time_new_from_unix_utc(seconds(time)), format) ?? ""
  }

  static var now: Timestamp { Timestamp(microsecondsSinceEpoch: UInt64(clamping: g_get_real_time())) }

  /// The time of the wall clock in seconds since 1970.
  static var seconds: Double { Double(g_get_real_time()) / 1_000_000 }

  /// Returns how long a timer must wait until a time of the wall clock, in seconds since 1970: at most a minute, since the
  /// clock may be set, and since timers stop while the machine sleeps.
  static func wait(until time: Double?) -> Duration {
    guard let time else { return .seconds(60) }
    return .milliseconds(Int64(min(max((time - seconds) * 1_000, 0), 60_000).rounded(.up)))
  }

  static func age(_ seconds: Int64) -> String {
    switch seconds {
    case ..<1: tr("now")
    case ..<120: tr("\(seconds) s ago")
    case ..<7_200: tr("\(seconds / 60) min ago")
    case ..<172_800: tr("\(seconds / 3_600) h ago")
    default: tr("\(seconds / 86_400) day ago", "\(seconds / 86_400) days ago", count: Int(seconds / 86_400))
    }
  }

  private static func seconds(_ time: Timestamp) -> gint64 { gint64(clamping: time.seconds) }

  private static func format(_ moment: OpaquePointer?, _ format: String) -> String? {
    // Nil: GLib has no dates after the year 9999.
    guard let moment else { return nil }
    defer { g_date_time_unref(moment) }
    guard let text = g_date_time_format(moment, format) else { return nil }
    defer { g_free(text) }
    return String(cString: text)
  }
}
