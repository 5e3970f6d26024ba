// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Detects the loss of the source of the last fix, which GeoClue does not report.
///
/// While a client exists, GeoClue suppresses coarser fixes in favour of the exact one that it has, however old that is.
/// After the loss of a satellite receiver, no fixes arrive any more until a new client is created. Two signs indicate a
/// loss: the available accuracy falls below its value at the last fix, or a source that reported every few seconds
/// falls silent. For any other source, silence only means that nothing moves.
nonisolated struct SourceWatch: Equatable, Sendable {
  /// The maximum time between fixes of a steadily reporting receiver, in milliseconds. Wi-Fi scans are 10 s apart.
  static let steadyGap: Int64 = 5_000
  /// The number of consecutive fixes that make a source steady.
  static let steadyCount = 3
  /// The silence after which a steady source counts as lost, in milliseconds.
  static let patience: Int64 = 30_000

  private var lastFix: Int64?
  private var count = 0
  private var availableAtFix: AccuracyLevel?

  /// Records a fix at `now` (milliseconds) and the accuracy available at that time.
  mutating func fix(at now: Int64, available: AccuracyLevel?) {
    let isSteady = lastFix.map { now - $0 <= Self.steadyGap } ?? false
    count = isSteady ? min(count + 1, Self.steadyCount) : 1
    lastFix = now
    availableAtFix = available
  }

  /// When silence will mean that the source is lost, or nil.
  var deadline: Int64? {
    guard let lastFix, count >= Self.steadyCount else { return nil }
    return lastFix + Self.patience
  }

  /// Returns whether the source of the last fix is lost.
  func isLost(at now: Int64, available: AccuracyLevel?) -> Bool {
    if let availableAtFix, let available, available < availableAtFix { return true }
    return deadline.map { now >= $0 } ?? false
  }
}
