// SPDX-License-Identifier: Apache-2.0

/// Generates the numbers in clients' object paths. They are never reused, not even after a restart, and carry no
/// meaning.
///
/// The first number is the start time in microseconds, so a later service starts above all earlier numbers as long as
/// fewer than 7,800 objects per second are created. Steps are random, because a counter would reveal how busy other
/// clients are.
nonisolated struct ObjectNumbers: Sendable {
  private var last: UInt64

  /// - Parameter time: The wall clock in microseconds since 1970.
  init(startedAt time: UInt64) { last = time }

  mutating func next() -> UInt64 {
    last &+= .random(in: 1...256)
    return last
  }
}
