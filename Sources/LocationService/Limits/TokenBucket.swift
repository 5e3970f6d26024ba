// SPDX-License-Identifier: Apache-2.0
/// Lets a burst through, then a steady rate. What turns out to be expensive is charged afterwards.
nonisolated struct TokenBucket: Sendable {
  private var tokens: Double
  private var filledAt: Int64

  init(burst: UInt32, at now: Int64) {
    tokens = Double(burst)
    filledAt = now
  }

  /// Takes one token if there is one; `now` is in microseconds of a clock that never goes back.
  mutating func take(burst: UInt32, perSecond: UInt32, at now: Int64) -> Bool {
    fill(burst: burst, perSecond: perSecond, at: now)
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }

  /// Takes more tokens for what has been done already, even if there are fewer. The debt is at most one burst, so that
  /// a lower limit in a changed configuration does not lock a client out.
  mutating func charge(_ cost: Double, burst: UInt32) {
    tokens = max(-Double(burst), tokens - cost)
  }

  /// Whether it is as full as it can be: then it says nothing that a new one would not say.
  mutating func isFull(burst: UInt32, perSecond: UInt32, at now: Int64) -> Bool {
    fill(burst: burst, perSecond: perSecond, at: now)
    return tokens >= Double(burst)
  }

  private mutating func fill(burst: UInt32, perSecond: UInt32, at now: Int64) {
    let elapsed = Double(max(0, now &- filledAt)) / 1_000_000
    tokens = min(Double(burst), tokens + elapsed * Double(perSecond))
    filledAt = now
  }
}
