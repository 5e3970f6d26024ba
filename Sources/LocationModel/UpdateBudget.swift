// SPDX-License-Identifier: Apache-2.0
/// Counts the updates of a subscription and decides when it is complete: after a number of updates or a time since its
/// first start, whichever comes first. Stopping and restarting resets neither.
package struct UpdateBudget: Sendable {
  /// The number of updates after which the subscription is complete. 0 means unlimited.
  package let maxUpdates: UInt32
  /// The time after the first start at which the subscription is complete, in milliseconds. 0 means unlimited.
  package let duration: UInt32
  package private(set) var delivered: UInt64 = 0
  private var startedAt: UInt64?

  package init(maxUpdates: UInt32 = 0, duration: UInt32 = 0) {
    self.maxUpdates = maxUpdates
    self.duration = duration
  }

  /// Records a start at a time in microseconds. Only the first one counts.
  package mutating func started(at now: UInt64) { startedAt = startedAt ?? now }

  /// Records an update. Returns whether it was the last one. There are no updates before the first start.
  package mutating func countDelivery() -> Bool {
    delivered = delivered.saturatingAdd(1)
    return hasSentAll
  }

  package var hasSentAll: Bool { maxUpdates > 0 && delivered >= maxUpdates }

  /// When the time is over, in microseconds, or nil before the first start and if unlimited.
  package var deadline: UInt64? {
    guard duration > 0 else { return nil }
    return startedAt?.saturatingAdd(UInt64(duration) * 1000)
  }

  package func isComplete(at now: UInt64) -> Bool {
    hasSentAll || deadline.map { $0 <= now } ?? false
  }
}
