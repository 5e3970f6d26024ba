// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Chooses the level to request from GeoClue, given what clients need.
///
/// GeoClue serves a level from the sources of that level and below: with a GPS receiver alone, a client that requests
/// the city would never receive a location. If none arrives and there is a finer source, a finer level is requested,
/// and the location is reduced here, but only as far as GeoClue itself would serve the user of such a client
/// (`ceiling`): a user whose agent permits no more than the city receives nothing from a receiver, here as with
/// GeoClue.
nonisolated struct LevelChoice: Equatable, Sendable {
  /// How long to wait for a location at the needed level, in milliseconds.
  static let patience: Int64 = 3_000

  private(set) var needed: AccuracyLevel?
  private(set) var isRaised = false

  /// Returns the level to request from GeoClue.
  func level(available: AccuracyLevel?, ceiling: AccuracyLevel) -> AccuracyLevel? {
    guard let needed else { return nil }
    return isRaised ? max(needed, min(available ?? needed, ceiling)) : needed
  }

  /// Whether to start waiting: a location is missing, and a finer source exists and is permitted.
  func isWaiting(_ status: UpstreamStatus, ceiling: AccuracyLevel) -> Bool {
    guard let needed, let available = status.availableAccuracy, !isRaised else { return false }
    return status.reason == .noFix && min(available, ceiling) > needed
  }

  mutating func need(_ level: AccuracyLevel?) {
    if level != needed { isRaised = false }
    needed = level
  }

  /// Notes that the wait is over.
  mutating func raise() { isRaised = needed != nil }
}
