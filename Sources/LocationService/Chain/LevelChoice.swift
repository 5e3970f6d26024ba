// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Which level GeoClue is asked for, given what listeners need.
///
/// GeoClue serves a level from the sources of that level and below: with a GPS receiver alone, somebody who is content
/// with the city would never get a fix. So when none comes and there is a finer source, the finer one is asked for,
/// and what it says is reduced here.
nonisolated struct LevelChoice: Equatable, Sendable {
  /// How long to wait for a fix at the level that is needed, in milliseconds.
  static let patience: Int64 = 3_000

  private(set) var needed: AccuracyLevel?
  private var isRaised = false

  /// What to ask GeoClue for.
  func level(available: AccuracyLevel?) -> AccuracyLevel? {
    guard let needed else { return nil }
    return isRaised ? max(needed, available ?? needed) : needed
  }

  /// Whether it is worth being patient for: a fix is missing, and a finer source is there.
  func isWaiting(_ status: UpstreamStatus) -> Bool {
    guard let needed, let available = status.availableAccuracy, !isRaised else { return false }
    return status.reason == .noFix && available > needed
  }

  mutating func need(_ level: AccuracyLevel?) {
    if level != needed { isRaised = false }
    needed = level
  }

  /// Patience is over.
  mutating func raise() { isRaised = needed != nil }
}
