// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// The GeoClue client that the connection holds, and the state of its deliveries.
nonisolated struct HeldClient: Sendable {
  /// How long a client is kept that is finer than needed, so that short-lived subscribers do not overload GeoClue.
  static let coarserDelay: Int64 = 3_000
  /// Least time between re-reads of the current location, however many subscribers request one.
  static let readGap: Int64 = 1_000

  let path: String
  let level: AccuracyLevel
  /// When `Start` was answered.
  private(set) var startedAt: Int64?
  /// GeoClue's `Active`.
  private(set) var isActive = true
  private(set) var hasFix = false
  private var source = SourceWatch()
  /// When the client is replaced because it is finer than needed.
  private var coarserAt: Int64?
  private var mayReadAt: Int64 = .min
  private var readsAt: Int64?

  init(_ path: String, _ level: AccuracyLevel) {
    self.path = path
    self.level = level
  }

  mutating func started(at now: Int64) { startedAt = now }

  mutating func active(_ isActive: Bool) {
    self.isActive = isActive
    if !isActive { (hasFix, source, readsAt) = (false, SourceWatch(), nil) }
  }

  /// Notes a fix. A repeated measurement proves nothing about the source, which may be silent.
  mutating func fix(isNew: Bool, at now: Int64, available: AccuracyLevel?) {
    hasFix = true
    if isNew { source.fix(at: now, available: available) }
  }

  /// Whether the needed level requires another client at once. GeoClue reads the level only when a client starts; a
  /// coarser one can wait.
  mutating func isTooCoarse(for wanted: AccuracyLevel, at now: Int64) -> Bool {
    coarserAt = wanted < level ? coarserAt ?? now + Self.coarserDelay : nil
    return wanted > level
  }

  /// Returns whether to read the current location now; otherwise the read becomes due later, if there is a location.
  mutating func wantsRead(at now: Int64) -> Bool {
    guard hasFix, isActive else { return false }
    guard now >= mayReadAt else {
      readsAt = mayReadAt
      return false
    }
    (mayReadAt, readsAt) = (now + Self.readGap, nil)
    return true
  }

  /// Whether the source reports so regularly that silence means loss.
  var isSteady: Bool { source.deadline != nil }

  /// When the next action is due.
  var deadline: Int64? { [coarserAt, source.deadline, readsAt].compactMap { $0 }.min() }

  /// Whether another client is needed: this one is finer than needed, or hides the loss of its source.
  func isObsolete(at now: Int64, available: AccuracyLevel?) -> Bool {
    coarserAt.map { now >= $0 } ?? false || source.isLost(at: now, available: available)
  }

  /// Whether the source is lost, according to the accuracy that GeoClue reports.
  func hasLostSource(at now: Int64, available: AccuracyLevel) -> Bool {
    source.isLost(at: now, available: available)
  }
}
