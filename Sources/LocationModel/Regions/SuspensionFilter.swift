// SPDX-License-Identifier: Apache-2.0
/// Tells locations that were measured before the machine slept from those measured after.
///
/// It compares a location with the newest one from before, not with the clock of this machine: the clock of a source
/// may be behind ours, and would hide every location for as long as it is.
struct SuspensionFilter: Sendable {
  /// From this long after a suspend on, a location counts even if its source set its clock back meanwhile.
  private static let patience: UInt64 = 10_000_000

  private var newest: Timestamp?
  private var sleptUntil: UInt64?
  private var measuredBefore: Timestamp?

  /// The machine woke up.
  mutating func slept(at now: UInt64) {
    sleptUntil = now
    measuredBefore = newest
  }

  /// Returns whether a location counts as measured since the last suspend.
  mutating func accepts(_ location: Location, at now: UInt64) -> Bool {
    if let sleptUntil, let measuredBefore, location.timestamp <= measuredBefore {
      // The very same measurement is never a new one.
      let isRepeated = location.timestamp == measuredBefore
      guard !isRepeated, now >= sleptUntil.saturatingAdd(Self.patience) else { return false }
      newest = location.timestamp
      self.measuredBefore = nil
    }
    newest = newest.map { max($0, location.timestamp) } ?? location.timestamp
    return true
  }
}
