// SPDX-License-Identifier: Apache-2.0
/// Counts what a subscription has been sent, and says when it is complete: after so many updates, or so long after its
/// first start, whichever comes first. Stopping and starting again gives no new time and no new updates.
public struct UpdateBudget: Sendable {
  /// Updates after which the subscription is complete; 0 for no end.
  public let maxUpdates: UInt32
  /// Milliseconds after the first start until the subscription is complete; 0 for no end.
  public let duration: UInt32
  /// Updates sent so far.
  public private(set) var delivered: UInt64 = 0
  private var startedAt: UInt64?

  /// Makes a budget that has not begun.
  public init(maxUpdates: UInt32 = 0, duration: UInt32 = 0) {
    self.maxUpdates = maxUpdates
    self.duration = duration
  }

  /// The subscription was started, at so many microseconds; only the first start counts.
  public mutating func started(at now: UInt64) {
    startedAt = startedAt ?? now
  }

  /// An update was sent; true if it was the last one. What is sent before the first start does not exist.
  public mutating func countDelivery() -> Bool {
    delivered = delivered.saturatingAdd(1)
    return hasSentAll
  }

  /// Whether as many updates were sent as are allowed.
  public var hasSentAll: Bool { maxUpdates > 0 && delivered >= maxUpdates }

  /// When the time is over, microseconds; nil before the first start and if there is no end.
  public var deadline: UInt64? {
    guard duration > 0 else { return nil }
    return startedAt?.saturatingAdd(UInt64(duration) * 1000)
  }

  /// Whether the subscription is complete.
  public func isComplete(at now: UInt64) -> Bool {
    hasSentAll || deadline.map { $0 <= now } ?? false
  }
}
