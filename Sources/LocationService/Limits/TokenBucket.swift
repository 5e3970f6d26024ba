// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Allows a burst, then a steady rate. Expensive operations are charged afterwards.
nonisolated struct TokenBucket: Sendable {
  private var tokens: Double
  private var filledAt: MonotonicInstant

  init(burst: UInt32, at now: MonotonicInstant) {
    tokens = Double(burst)
    filledAt = now
  }

  /// Takes one token if available.
  mutating func take(burst: UInt32, perSecond: UInt32, at now: MonotonicInstant) -> Bool {
    fill(burst: burst, perSecond: perSecond, at: now)
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }

  /// Returns how long it takes until `count` tokens are available, in whole microseconds.
  mutating func wait(for count: Int, burst: UInt32, perSecond: UInt32, at now: MonotonicInstant) -> Duration {
    fill(burst: burst, perSecond: perSecond, at: now)
    return .microseconds(Int64(max(0, Double(count) - tokens) / Double(max(1, perSecond)) * 1_000_000))
  }

  /// Charges for work already done, even beyond the available tokens. The debt is limited to one burst, so that a lower
  /// limit after a configuration change does not lock a client out.
  mutating func charge(_ cost: Double, burst: UInt32) {
    tokens = max(-Double(burst), tokens - cost)
  }

  /// Returns whether the bucket is full, so that it can be replaced by a new one.
  func isFull(burst: UInt32, perSecond: UInt32, at now: MonotonicInstant) -> Bool {
    var filled = self
    filled.fill(burst: burst, perSecond: perSecond, at: now)
    return filled.tokens >= Double(burst)
  }

  private mutating func fill(burst: UInt32, perSecond: UInt32, at now: MonotonicInstant) {
    let elapsed = max(.zero, now - filledAt).seconds
    tokens = min(Double(burst), tokens + elapsed * Double(perSecond))
    filledAt = now
  }
}
