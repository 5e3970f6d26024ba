// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop

/// Caches the replies to `ListSubscriptions` while they are accurate enough: with hundreds of rows, building one takes
/// milliseconds and sending it again almost nothing.
final class SubscriptionList {
  private struct Entry {
    let reply: PreparedReply
    let madeAt: MonotonicInstant
    let rows: Int
  }

  /// The maximum age, per row, of a reply whose rows may have changed without being added or removed.
  private static let patience = Duration.milliseconds(2)
  private var entries: [UInt32: Entry] = [:]

  /// Answers a user's call with the cached rows, or with new ones from `rows`.
  func answer(_ call: MethodCall, of user: UInt32, _ rows: () -> [Value]) {
    let now = MainLoop.main.clock.monotonic()
    if let entry = entries[user], now - entry.madeAt <= Self.patience * entry.rows {
      return call.reply(entry.reply)
    }
    let values = rows()
    guard let reply = try? PreparedReply([.array(.variantDictionary, values)]) else {
      return call.fail(DBusError(.limitsExceeded, "There are too many objects to list in one message"))
    }
    // Nothing would ever remove the entry of a user without objects.
    if !values.isEmpty { entries[user] = Entry(reply: reply, madeAt: now, rows: values.count) }
    call.reply(reply)
  }

  /// Discards the replies that contain the objects of a user.
  func changed(for user: UInt32?) {
    if let user { entries[user] = nil }
    entries[0] = nil
  }
}
