// SPDX-License-Identifier: Apache-2.0
/// The numbers in the paths of clients' objects: never the same again, also after a restart, and without a meaning.
///
/// They begin with the time in microseconds, so a service that starts later begins behind all that an earlier one has
/// used, as long as fewer than 7,800 objects a second are created. The steps are random: a counter would tell clients how
/// busy others are.
nonisolated struct ObjectNumbers: Sendable {
  private var last: UInt64

  /// `now` is in microseconds since 1970.
  init(startedAt now: UInt64) { last = now }

  mutating func next() -> UInt64 {
    last &+= .random(in: 1...256)
    return last
  }
}
