import GeopublicistLocationModel

/// Counts who needs GeoClue at which level; the highest is what our one client asks for.
struct Demand {
  private var counts: [AccuracyLevel: Int] = [:]

  /// Moves one listener from a level to another; nil is none.
  mutating func move(from old: AccuracyLevel?, to new: AccuracyLevel?) {
    guard old != new else { return }
    if let old, let count = counts[old] { counts[old] = count > 1 ? count - 1 : nil }
    if let new { counts[new, default: 0] += 1 }
  }

  /// The level that satisfies everybody; nil if nobody listens.
  var level: AccuracyLevel? { counts.keys.max() }
}

/// One listener's part in the demand: none to begin with, and at most one level at a time.
struct DemandShare {
  private var level: AccuracyLevel?

  /// Makes the listener need another level; nil is none.
  mutating func change(to new: AccuracyLevel?, in service: LocationService) {
    guard new != level else { return }
    let old = level
    level = new
    service.moveDemand(from: old, to: new)
  }
}
