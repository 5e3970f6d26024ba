// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistLocationModel

/// Points in time as text, by GLib's calendar.
nonisolated enum Moment {
  /// ISO 8601 in UTC, with milliseconds if there are any: for programs and files.
  static func iso(_ time: Timestamp) -> String {
    let milliseconds = time.microseconds / 1_000
    let fraction = milliseconds == 0 ? "" : "." + String(String(milliseconds + 1_000).dropFirst())
    return format(g_date_time_new_from_unix_utc(seconds(time)), "%Y-%m-%dT%H:%M:%S").map { $0 + fraction + "Z" } ?? "?"
  }

  /// Returns the date and time in the user's time zone, or parts of them as GLib's `format` says.
  static func local(_ time: Timestamp, _ format: String = "%Y-%m-%d %H:%M:%S") -> String {
    self.format(g_date_time_new_from_unix_local(seconds(time)), format) ?? "?"
  }

  /// Parts of the date and time in UTC, each with leading zeros, as `format` of GLib has them.
  static func utc(_ time: Timestamp, _ format: String) -> String {
    self.format(g_date_time_new_from_unix_utc(seconds(time)), format) ?? ""
  }

  /// Now, by the wall clock.
  static var now: Timestamp { Timestamp(microsecondsSinceEpoch: UInt64(clamping: g_get_real_time())) }

  /// How long ago, in the largest fitting unit.
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
    // GLib has no date beyond the year 9999.
    guard let moment else { return nil }
    defer { g_date_time_unref(moment) }
    guard let text = g_date_time_format(moment, format) else { return nil }
    defer { g_free(text) }
    return String(cString: text)
  }
}
