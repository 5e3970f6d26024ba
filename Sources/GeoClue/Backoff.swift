// SPDX-License-Identifier: Apache-2.0
/// Waiting times that double from one failure to the next, spread so that many waiters do not return at once.
nonisolated struct Backoff: Equatable, Sendable {
  /// The first and the longest time, in milliseconds.
  let shortest: Int64
  let longest: Int64
  private var failures: Int64 = 0

  init(from shortest: Int64, to longest: Int64) {
    self.shortest = shortest
    self.longest = longest
  }

  /// How long to wait after one more failure, in milliseconds: three quarters to five quarters of the doubled time.
  ///
  /// `chance` is a random number from 0 to 1.
  mutating func next(chance: Double) -> Int64 {
    let time = min(longest, failures >= 32 ? longest : shortest << failures)
    failures += 1
    return Int64(Double(time) * (0.75 + 0.5 * min(1, max(0, chance))))
  }

  /// Starts over with the shortest time, after a success.
  mutating func reset() { failures = 0 }
}
