// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Detects the loss of the source of the last fix, which GeoClue does not report.
///
/// While a client exists, GeoClue hides every coarse fix behind the exact one that it has, however old that is: after
/// the loss of a satellite receiver no fix arrives any more. A new client starts without the old fix. Two things
/// indicate a loss: the available accuracy falls below what it was at the last fix, or a source that reported every
/// few seconds falls silent. Silence of any other source means only that nothing moves.
nonisolated struct SourceWatch: Equatable, Sendable {
  /// Longest time between fixes of a receiver that reports steadily, in milliseconds; Wi-Fi scans are 10 s apart.
  static let steadyGap: Int64 = 5_000
  /// Fixes in a row that make a source steady.
  static let steadyCount = 3
  /// Silence after which a steady source counts as lost, in milliseconds.
  static let patience: Int64 = 30_000

  private var lastFix: Int64?
  private var count = 0
  private var availableAtFix: AccuracyLevel?

  /// Notes a fix at `now` (milliseconds), and the accuracy available then.
  mutating func fix(at now: Int64, available: AccuracyLevel?) {
    let isSteady = lastFix.map { now - $0 <= Self.steadyGap } ?? false
    count = isSteady ? min(count + 1, Self.steadyCount) : 1
    lastFix = now
    availableAtFix = available
  }

  /// When silence starts to mean loss; nil while it does not.
  var deadline: Int64? {
    guard let lastFix, count >= Self.steadyCount else { return nil }
    return lastFix + Self.patience
  }

  /// Whether the source of the last fix is lost.
  func isLost(at now: Int64, available: AccuracyLevel?) -> Bool {
    if let availableAtFix, let available, available < availableAtFix { return true }
    return deadline.map { now >= $0 } ?? false
  }
}
