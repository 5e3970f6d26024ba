// SPDX-License-Identifier: Apache-2.0
import GeopublicistInstants

/// Distinguishes the new measurements of a source from repeated and late ones, by the source's own clock.
///
/// A source's clock and the wall clock may differ by hours, so the two are never compared.
struct MeasurementOrder: Sendable {
  /// If only earlier times arrive for this long, the source's clock is assumed to have been set back.
  static let patience = Duration.seconds(30)

  private struct Newest {
    var location: Location
    var at: BootInstant
    /// The last of the earlier times that have arrived since.
    var late: Timestamp?
  }

  private var newest: [SourceKind: Newest] = [:]

  /// Records a location that arrives at `now` on the boot clock. Returns whether it is neither a repetition nor
  /// measured before one that its source sent earlier. Many sources report whole seconds, so another place at the same
  /// time is new. A fixed location is measured whenever it is announced, and one of the network address whenever it is
  /// announced to a new client of GeoClue.
  mutating func isNew(_ location: Location, at now: BootInstant) -> Bool {
    guard !location.isStatic else { return true }
    if let last = newest[location.source] {
      if location.isRepetition(of: last.location) { return false }
      if location.reportedTime < last.location.reportedTime {
        let isAdvancing = last.late.map { location.reportedTime > $0 } ?? false
        newest[location.source]?.late = location.reportedTime
        guard isAdvancing, now >= last.at + Self.patience else { return false }
      }
    }
    newest[location.source] = Newest(location: location, at: now)
    return true
  }
}
