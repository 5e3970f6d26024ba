// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Which level GeoClue is asked for, given what clients need.
///
/// GeoClue serves a level from the sources of that level and below: with a GPS receiver alone, a client that asks for the
/// city would never get a location. So when none comes and there is a finer source, GeoClue is asked for more, and the
/// location is reduced here; but only as far as GeoClue itself would serve the user of such a client (`ceiling`): a user
/// whose agent permits no more than the city gets from a receiver here what GeoClue gives, which is nothing.
nonisolated struct LevelChoice: Equatable, Sendable {
  /// How long to wait for a location at the level that is needed, in milliseconds.
  static let patience: Int64 = 3_000

  private(set) var needed: AccuracyLevel?
  private(set) var isRaised = false

  /// What to ask GeoClue for.
  func level(available: AccuracyLevel?, ceiling: AccuracyLevel) -> AccuracyLevel? {
    guard let needed else { return nil }
    return isRaised ? max(needed, min(available ?? needed, ceiling)) : needed
  }

  /// Whether it is worth being patient for: a location is missing, and a finer source is there and permitted.
  func isWaiting(_ status: UpstreamStatus, ceiling: AccuracyLevel) -> Bool {
    guard let needed, let available = status.availableAccuracy, !isRaised else { return false }
    return status.reason == .noFix && min(available, ceiling) > needed
  }

  mutating func need(_ level: AccuracyLevel?) {
    if level != needed { isRaised = false }
    needed = level
  }

  /// Patience is over.
  mutating func raise() { isRaised = needed != nil }
}
