// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Notices that the source of the last fix has gone, which GeoClue tells nobody.
///
/// For as long as a client lives, GeoClue hides every coarse fix behind the exact one that it has, however old that is:
/// after the loss of a satellite receiver nothing comes any more. A new client begins without the old fix. Two things
/// speak for a loss: the accuracy that GeoClue says is available falls below what it was at the last fix, or a source
/// that spoke every few seconds falls silent. Silence of any other source means only that nothing moves.
nonisolated struct SourceWatch: Equatable, Sendable {
  /// Fixes that are at most so many milliseconds apart are those of a receiver that speaks all the time; Wi-Fi scans
  /// are 10 s apart.
  static let steadyGap: Int64 = 5_000
  /// So many fixes in a row make it a steady source.
  static let steadyCount = 3
  /// After so many milliseconds a steady source that is silent is gone.
  static let patience: Int64 = 30_000

  private var lastFix: Int64?
  private var count = 0
  private var availableAtFix: AccuracyLevel?

  /// Takes note of a fix at `now` (milliseconds), and of what GeoClue said was available then.
  mutating func fix(at now: Int64, available: AccuracyLevel?) {
    let isSteady = lastFix.map { now - $0 <= Self.steadyGap } ?? false
    count = isSteady ? min(count + 1, Self.steadyCount) : 1
    lastFix = now
    availableAtFix = available
  }

  /// When silence begins to mean loss; nil while it does not.
  var deadline: Int64? {
    guard let lastFix, count >= Self.steadyCount else { return nil }
    return lastFix + Self.patience
  }

  /// Whether the source of the last fix has gone.
  func isLost(at now: Int64, available: AccuracyLevel?) -> Bool {
    if let availableAtFix, let available, available < availableAtFix { return true }
    return deadline.map { now >= $0 } ?? false
  }
}
