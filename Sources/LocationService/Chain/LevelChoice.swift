// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Chooses the level to request from GeoClue, given what clients need.
///
/// GeoClue serves a level only from sources of that level or coarser. With a GPS receiver alone, a client that requests
/// `city` would never receive a location. If none arrives and a finer source exists, a finer level is requested and the
/// location is reduced here, but no finer than GeoClue itself would serve that client's user (`ceiling`). A user whose
/// agent permits only `city` therefore receives nothing from a receiver, just as with GeoClue.
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

  /// Returns whether to wait for a location before requesting a finer level: none has arrived, and a finer source
  /// exists and is permitted.
  func isWaiting(_ status: SourceStatus, ceiling: AccuracyLevel) -> Bool {
    guard let needed, let available = status.availableAccuracy, !isRaised else { return false }
    return status.reason == .noFix && min(available, ceiling) > needed
  }

  mutating func need(_ level: AccuracyLevel?) {
    if level != needed { isRaised = false }
    needed = level
  }

  /// Requests a finer level, because the wait is over.
  mutating func raise() { isRaised = needed != nil }
}
