// SPDX-License-Identifier: Apache-2.0
/// Lets a burst through, and after that so many a second.
nonisolated struct TokenBucket: Sendable {
  private var tokens: Double
  private var filledAt: Int64

  init(burst: UInt32, at now: Int64) {
    tokens = Double(burst)
    filledAt = now
  }

  /// Takes one token if there is one; `now` is in microseconds of a clock that never goes back.
  mutating func take(burst: UInt32, perSecond: UInt32, at now: Int64) -> Bool {
    let elapsed = Double(max(0, now &- filledAt)) / 1_000_000
    tokens = min(Double(burst), tokens + elapsed * Double(perSecond))
    filledAt = now
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }
}
