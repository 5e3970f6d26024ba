// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop

/// The replies of `ListSubscriptions`, kept for as long as they are true: with hundreds of rows one takes milliseconds to
/// make and next to nothing to send again.
final class SubscriptionList {
  private struct Entry {
    let reply: PreparedReply
    let madeAt: Int64
    let rows: Int
  }

  /// How old a reply may be in which rows have changed, but none has come or gone: in microseconds for each row.
  private static let patience: Int64 = 2_000
  private var entries: [UInt32: Entry] = [:]

  /// Answers a call of a user with the rows that `rows` makes, or with the same ones as before.
  func answer(_ call: MethodCall, of user: UInt32, _ rows: () -> [Value]) {
    let now = MainLoop.main.clock.monotonic()
    if let entry = entries[user], now - entry.madeAt <= Int64(entry.rows) * Self.patience {
      return call.reply(entry.reply)
    }
    let values = rows()
    guard let reply = try? PreparedReply([.array(.variantDictionary, values)]) else {
      return call.fail(DBusError(.limitsExceeded, "There are too many subscriptions for one message"))
    }
    entries[user] = Entry(reply: reply, madeAt: now, rows: values.count)
    call.reply(reply)
  }

  /// A subscription of a user has come or gone.
  func changed(for user: UInt32?) {
    if let user { entries[user] = nil }
    entries[0] = nil
  }
}
