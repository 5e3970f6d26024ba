// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// The GeoClue client that the connection holds, and what it has delivered.
nonisolated struct HeldClient: Sendable {
  /// How long a client is kept that is finer than needed, so that subscribers who come and go do not wear GeoClue out.
  static let coarserDelay: Int64 = 3_000
  /// How far apart re-reads of the current location are, however many subscribers ask for one.
  static let readGap: Int64 = 1_000

  let path: String
  let level: AccuracyLevel
  /// When `Start` was answered.
  private(set) var startedAt: Int64?
  /// GeoClue's `Active`.
  private(set) var isActive = true
  private(set) var hasFix = false
  private var source = SourceWatch()
  /// When the client is given up because it is finer than needed.
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

  /// Notes a fix. The same measurement again says nothing about the source, which may be silent.
  mutating func fix(isNew: Bool, at now: Int64, available: AccuracyLevel?) {
    hasFix = true
    if isNew { source.fix(at: now, available: available) }
  }

  /// Whether the level that is needed now takes another client at once. GeoClue reads the level only when a client
  /// starts; a coarser one has time.
  mutating func isTooCoarse(for wanted: AccuracyLevel, at now: Int64) -> Bool {
    coarserAt = wanted < level ? coarserAt ?? now + Self.coarserDelay : nil
    return wanted > level
  }

  /// Returns whether the current location is to be read now; otherwise that becomes due later, if there is one.
  mutating func wantsRead(at now: Int64) -> Bool {
    guard hasFix, isActive else { return false }
    guard now >= mayReadAt else {
      readsAt = mayReadAt
      return false
    }
    (mayReadAt, readsAt) = (now + Self.readGap, nil)
    return true
  }

  /// Whether the source speaks so regularly that silence means its loss.
  var isSteady: Bool { source.deadline != nil }

  /// When something is due.
  var deadline: Int64? { [coarserAt, source.deadline, readsAt].compactMap { $0 }.min() }

  /// Whether another client is needed: this one is finer than needed, or hides that its source has gone.
  func isObsolete(at now: Int64, available: AccuracyLevel?) -> Bool {
    coarserAt.map { now >= $0 } ?? false || source.isLost(at: now, available: available)
  }

  /// Whether the source has gone, according to the accuracy that GeoClue reports.
  func hasLostSource(at now: Int64, available: AccuracyLevel) -> Bool {
    source.isLost(at: now, available: available)
  }
}
