// SPDX-License-Identifier: Apache-2.0
import GeopublicistInstants

/// Counts the updates of a subscription and decides when it is complete: after a number of updates or a time since its
/// first start, whichever comes first. Stopping and restarting resets neither.
package struct UpdateBudget<Clock>: Sendable {
  /// The number of updates after which the subscription is complete. 0 means unlimited.
  package let maxUpdates: UInt32
  /// The time after the first start at which the subscription is complete. Zero means unlimited.
  package let duration: Duration
  package private(set) var delivered: UInt64 = 0
  private var startedAt: Instant<Clock>?

  package init(maxUpdates: UInt32 = 0, duration: Duration = .zero) {
    self.maxUpdates = maxUpdates
    self.duration = duration
  }

  /// Records a start. Only the first one counts.
  package mutating func started(at now: Instant<Clock>) { startedAt = startedAt ?? now }

  /// Records an update. Returns whether it was the last one. There are no updates before the first start.
  package mutating func countDelivery() -> Bool {
    delivered &+= 1
    return hasSentAll
  }

  package var hasSentAll: Bool { maxUpdates > 0 && delivered >= maxUpdates }

  /// When the time ends, or nil before the first start and if unlimited.
  package var deadline: Instant<Clock>? {
    guard duration > .zero else { return nil }
    return startedAt.map { $0 + duration }
  }

  package func isComplete(at now: Instant<Clock>) -> Bool {
    hasSentAll || deadline.map { $0 <= now } ?? false
  }
}
