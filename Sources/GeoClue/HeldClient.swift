// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// The GeoClue client of the connection and the state of its deliveries.
nonisolated struct HeldClient: Sendable {
  /// How long to keep a client that is finer than needed, so that short-lived subscribers do not overload GeoClue. In
  /// milliseconds.
  static let coarserDelay: Int64 = 3_000
  /// The minimum time between reads of the current location for all subscribers together, in milliseconds.
  static let readGap: Int64 = 1_000

  let path: String
  let level: AccuracyLevel
  /// When `Start` was answered, in milliseconds.
  private(set) var startedAt: Int64?
  /// GeoClue's `Active`.
  private(set) var isActive = true
  private(set) var hasFix = false
  private var source = SourceWatch()
  /// When to replace the client because it is finer than needed.
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

  /// Records a fix. A repeated measurement proves nothing about the source, which may have fallen silent.
  mutating func fix(isNew: Bool, at now: Int64, available: AccuracyLevel?) {
    hasFix = true
    if isNew { source.fix(at: now, available: available) }
  }

  /// Returns whether the required level needs a new client immediately. GeoClue reads the level only when a client
  /// starts. A change to a coarser level can wait.
  mutating func isTooCoarse(for wanted: AccuracyLevel, at now: Int64) -> Bool {
    coarserAt = wanted < level ? coarserAt ?? now + Self.coarserDelay : nil
    return wanted > level
  }

  /// Returns whether to read the current location now. Otherwise the read becomes due later, if there is a location.
  mutating func wantsRead(at now: Int64) -> Bool {
    guard hasFix, isActive else { return false }
    guard now >= mayReadAt else {
      readsAt = mayReadAt
      return false
    }
    (mayReadAt, readsAt) = (now + Self.readGap, nil)
    return true
  }

  /// Whether the source reports so regularly that silence means it is lost.
  var isSteady: Bool { source.deadline != nil }

  /// When the next action is due.
  var deadline: Int64? { [coarserAt, source.deadline, readsAt].compactMap { $0 }.min() }

  /// Returns whether a new client is needed, because this one is finer than needed or hides the loss of its source.
  func isObsolete(at now: Int64, available: AccuracyLevel?) -> Bool {
    coarserAt.map { now >= $0 } ?? false || source.isLost(at: now, available: available)
  }

  /// Returns whether the source is lost according to the available accuracy.
  func hasLostSource(at now: Int64, available: AccuracyLevel) -> Bool {
    source.isLost(at: now, available: available)
  }
}
