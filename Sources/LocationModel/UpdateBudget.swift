// SPDX-License-Identifier: Apache-2.0
/// Counts the updates of a subscription, and decides when it is complete: after a number of updates, or a time after
/// its first start, whichever comes first. Stopping and starting again does not reset either.
public struct UpdateBudget: Sendable {
  /// Updates after which the subscription is complete; 0 for no end.
  public let maxUpdates: UInt32
  /// Milliseconds after the first start until the subscription is complete; 0 for no end.
  public let duration: UInt32
  /// Updates sent so far.
  public private(set) var delivered: UInt64 = 0
  private var startedAt: UInt64?

  /// Creates a budget that has not started.
  public init(maxUpdates: UInt32 = 0, duration: UInt32 = 0) {
    self.maxUpdates = maxUpdates
    self.duration = duration
  }

  /// Notes a start, at a time in microseconds; only the first one counts.
  public mutating func started(at now: UInt64) {
    startedAt = startedAt ?? now
  }

  /// Notes an update; returns true if it was the last one. There are no updates before the first start.
  public mutating func countDelivery() -> Bool {
    delivered = delivered.saturatingAdd(1)
    return hasSentAll
  }

  /// Whether as many updates were sent as are allowed.
  public var hasSentAll: Bool { maxUpdates > 0 && delivered >= maxUpdates }

  /// When the time is over, in microseconds; nil before the first start and if there is no end.
  public var deadline: UInt64? {
    guard duration > 0 else { return nil }
    return startedAt?.saturatingAdd(UInt64(duration) * 1000)
  }

  /// Whether the subscription is complete.
  public func isComplete(at now: UInt64) -> Bool {
    hasSentAll || deadline.map { $0 <= now } ?? false
  }
}
