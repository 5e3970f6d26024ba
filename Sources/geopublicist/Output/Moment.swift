// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistLocationModel

/// Points in time and their texts.
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

  /// Returns a time in UTC, in a format of GLib.
  static func utc(_ time: Timestamp, _ format: String) -> String {
    self.format(g_date_time_new_from_unix_utc(seconds(time)), format) ?? ""
  }

  static var now: Timestamp { Timestamp(microsecondsSinceEpoch: UInt64(clamping: g_get_real_time())) }

  /// The time of the wall clock in seconds since 1970.
  static var seconds: Double { Double(g_get_real_time()) / 1_000_000 }

  /// Returns how long a timer must wait until a time of the wall clock, in seconds since 1970: at most a minute, since the
  /// clock may be set, and since timers stop while the machine sleeps.
  static func millisecondsToWait(until time: Double?) -> Int64 {
    guard let time else { return 60_000 }
    return Int64(min(max((time - seconds) * 1_000, 0), 60_000).rounded(.up))
  }

  /// Returns how long ago something was, in the largest suitable unit.
  static func age(_ seconds: Int64) -> String {
    switch seconds {
    case ..<1: "now"
    case ..<120: "\(seconds) s ago"
    case ..<7_200: "\(seconds / 60) min ago"
    case ..<172_800: "\(seconds / 3_600) h ago"
    default: "\(seconds / 86_400) days ago"
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
