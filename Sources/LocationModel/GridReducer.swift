/// Reduces fixes to an accuracy level: what comes out is the centre of a cell of a fixed grid, a radius, and nothing
/// that was computed from anything finer.
///
/// Noise that is new in each update could be averaged away, and the moment at which a border is crossed tells where
/// one is at that moment. Therefore:
/// - The cell changes only when the fix is more than a tenth of the cell outside it, so that standing at a border does
///   not show as a flicker.
/// - It changes only with the first fix of each interval of ``AccuracyLevel/minimumInterval`` seconds on the boot
///   clock. So the crossing is known to the interval and no better, be it by listening or by asking again and again.
///   The one exception is a fix that is at least twice as good as the one that the interval began with, if that one
///   was too coarse to tell the cell: it corrects it at once, and there can only be a few in an interval.
///
/// Keep one reducer for a level as long as the service runs, for all consumers: a fresh one has no cell to stay in, and
/// who could have many fresh ones near a border would see where it is.
public struct GridReducer: Sendable {
  /// The part of a cell by which a fix must be outside it.
  static let hysteresis = 0.1

  /// The level to which this one reduces.
  public let level: AccuracyLevel
  private let grid: Grid?
  private var choice: Choice?

  /// What was decided with the first fix of an interval.
  private struct Choice {
    var interval: UInt64
    var cell: Grid.Cell
    var center: Location
    var accuracy: Double
    /// Of the fix with which it was decided.
    var fixAccuracy: Double
    var fixTimestamp: Timestamp
  }

  /// Makes a reducer without a cell yet. ``AccuracyLevel/exact`` reduces nothing; ``AccuracyLevel/none``, for which
  /// there should be no location at all, reduces as ``AccuracyLevel/country``.
  public init(level: AccuracyLevel) {
    self.level = level
    grid = level.cellSize.map(Grid.init(cellSize:))
  }

  /// The reduced form of a fix.
  ///
  /// - Accuracy: the fix's own and the reach of the cell together, rounded up to whole cells: at least the cell's side.
  /// - Timestamp: of the fix with which the interval began, since that one chose the cell.
  /// - `receivedAt`, `sequence` and `isSimulated`: of the fix, so that its age is right; they tell nothing of the place.
  /// - Altitude, speed, heading and description are absent.
  public mutating func reduce(_ location: Location) -> Location {
    guard let grid else { return location }
    let interval = location.receivedAt / (UInt64(level.minimumInterval) * 1_000_000)
    let choice: Choice
    if let current = self.choice, current.interval == interval, !corrects(location, current, in: grid) {
      choice = current
    } else {
      choice = choose(for: location, in: interval, of: grid)
      self.choice = choice
    }
    return Location(
      latitude: choice.center.latitude,
      longitude: choice.center.longitude,
      accuracy: choice.accuracy,
      timestamp: choice.fixTimestamp,
      receivedAt: location.receivedAt,
      sequence: location.sequence,
      isSimulated: location.isSimulated)
  }

  private func corrects(_ location: Location, _ choice: Choice, in grid: Grid) -> Bool {
    guard let accuracy = location.accuracy, choice.fixAccuracy > grid.cellSize * Self.hysteresis else { return false }
    return accuracy <= choice.fixAccuracy / 2
  }

  private func choose(for location: Location, in interval: UInt64, of grid: Grid) -> Choice {
    let (latitude, longitude) = (location.latitude, location.longitude)
    let cell: Grid.Cell
    if let current = choice?.cell,
      grid.contains(current, latitude: latitude, longitude: longitude, margin: Self.hysteresis)
    {
      cell = current
    } else {
      cell = grid.cell(latitude: latitude, longitude: longitude)
    }
    // The two errors have nothing to do with each other, so their squares add up.
    let reach = grid.reach(of: cell, margin: Self.hysteresis)
    let own = location.accuracy ?? 0
    let radius = (reach * reach + own * own).squareRoot()
    return Choice(
      interval: interval,
      cell: cell,
      center: grid.center(of: cell),
      accuracy: max(1, (radius / grid.cellSize).rounded(.up)) * grid.cellSize,
      fixAccuracy: location.accuracy ?? .infinity,
      fixTimestamp: location.timestamp)
  }
}
