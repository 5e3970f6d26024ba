// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// The GeoClue client of the connection and the state of its deliveries.
nonisolated struct HeldClient: Sendable {
  /// How long to keep a client that is finer than needed, so that short-lived subscribers do not overload GeoClue.
  static let coarserDelay = Duration.seconds(3)
  /// How long a source must be silent before a subscriber's request leads to a new client. Longer than the time
  /// between two Wi-Fi scans, so that requests do not keep a source from measuring.
  static let renewalDelay = Duration.seconds(15)

  let path: String
  let level: AccuracyLevel
  /// GeoClue's `Active`.
  private(set) var isActive = true
  private(set) var hasFix = false
  private var source = SourceWatch()
  /// When to replace the client because it is finer than needed.
  private var coarserAt: MonotonicInstant?
  /// When the client last announced a new measurement, or first a repeated one.
  private var measuredAt: MonotonicInstant?
  private var renewsAt: MonotonicInstant?

  init(_ path: String, _ level: AccuracyLevel) {
    self.path = path
    self.level = level
  }

  mutating func active(_ isActive: Bool) {
    self.isActive = isActive
    if !isActive { (hasFix, source, measuredAt, renewsAt) = (false, SourceWatch(), nil, nil) }
  }

  /// Records a fix. A repeated measurement proves nothing about the source, which may have fallen silent: GeoClue repeats
  /// it because another program uses that source, and a later client may be the only one, for which it measures.
  mutating func fix(isNew: Bool, at now: MonotonicInstant, available: AccuracyLevel?) {
    hasFix = true
    guard isNew else {
      measuredAt = measuredAt ?? now
      return
    }
    source.fix(at: now, available: available)
    (measuredAt, renewsAt) = (now, nil)
  }

  /// Returns whether the required level needs a new client immediately. GeoClue reads the level only when a client
  /// starts. A change to a coarser level can wait.
  mutating func isTooCoarse(for wanted: AccuracyLevel, at now: MonotonicInstant) -> Bool {
    coarserAt = wanted < level ? coarserAt ?? now + Self.coarserDelay : nil
    return wanted > level
  }

  /// Returns whether to replace the client now for a subscriber that requests a fix. Otherwise it is replaced later.
  ///
  /// A client that has announced nothing yet is kept, and so is one whose source reports so regularly that silence means
  /// the loss of the source.
  mutating func wantsRenewal(at now: MonotonicInstant) -> Bool {
    guard let measuredAt, isActive, source.deadline == nil else { return false }
    renewsAt = measuredAt + Self.renewalDelay
    return now >= measuredAt + Self.renewalDelay
  }

  /// When the next action is due.
  var deadline: MonotonicInstant? { [coarserAt, source.deadline, renewsAt].compactMap { $0 }.min() }

  /// Returns whether a new client is needed, because this one is finer than needed or hides the loss of its source.
  func isObsolete(at now: MonotonicInstant, available: AccuracyLevel?) -> Bool {
    coarserAt.map { now >= $0 } ?? false || source.isLost(at: now, available: available)
  }

  func hasLostSource(at now: MonotonicInstant, available: AccuracyLevel) -> Bool {
    source.isLost(at: now, available: available)
  }
}

/// Detects the loss of the source of the last fix, which GeoClue does not report.
///
/// While a client exists, GeoClue suppresses coarser fixes in favour of the exact one that it has, however old that is.
/// After the loss of a satellite receiver, no more fixes arrive until a new client is created. Two signs indicate a
/// loss: the available accuracy falls below its value at the last fix, or a source that reported every few seconds
/// falls silent. For any other source, silence only means that nothing moves.
nonisolated struct SourceWatch: Equatable, Sendable {
  /// The maximum time between fixes of a steadily reporting receiver. Wi-Fi scans are 10 s apart.
  static let steadyGap = Duration.seconds(5)
  /// The number of consecutive fixes that make a source steady.
  static let steadyCount = 3
  /// The silence after which a steady source counts as lost.
  static let patience = Duration.seconds(30)

  private var lastFix: MonotonicInstant?
  private var count = 0
  private var availableAtFix: AccuracyLevel?

  /// Records a fix and the accuracy available at that time.
  mutating func fix(at now: MonotonicInstant, available: AccuracyLevel?) {
    let isSteady = lastFix.map { now - $0 <= Self.steadyGap } ?? false
    count = isSteady ? min(count + 1, Self.steadyCount) : 1
    lastFix = now
    availableAtFix = available
  }

  /// When silence will mean that the source is lost, or nil.
  var deadline: MonotonicInstant? {
    guard let lastFix, count >= Self.steadyCount else { return nil }
    return lastFix + Self.patience
  }

  /// Returns whether the source of the last fix is lost.
  func isLost(at now: MonotonicInstant, available: AccuracyLevel?) -> Bool {
    if let availableAtFix, let available, available < availableAtFix { return true }
    return deadline.map { now >= $0 } ?? false
  }
}
