// SPDX-License-Identifier: Apache-2.0
/// Delays that double after each failure, with random jitter so that many callers do not retry together.
nonisolated struct Backoff: Equatable, Sendable {
  /// The first and the longest time, in milliseconds.
  let shortest: Int64
  let longest: Int64
  private var failures: Int64 = 0

  init(from shortest: Int64, to longest: Int64) {
    self.shortest = shortest
    self.longest = longest
  }

  /// Returns the delay after another failure, in milliseconds: the doubled time with a jitter of ±25 %.
  ///
  /// - Parameter chance: A random number from 0 to 1.
  mutating func next(chance: Double) -> Int64 {
    let time = min(longest, failures >= 32 ? longest : shortest << failures)
    failures += 1
    return Int64(Double(time) * (0.75 + 0.5 * min(1, max(0, chance))))
  }

  /// Resets the delay to the shortest time after a success.
  mutating func reset() { failures = 0 }
}
