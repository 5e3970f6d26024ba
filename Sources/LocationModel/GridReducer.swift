// SPDX-License-Identifier: Apache-2.0
/// Reduces locations to an accuracy level: the result is the centre of a cell of a fixed grid, a radius, and nothing
/// that was computed from anything finer.
///
/// Noise that is new in each update could be averaged away, and the moment at which a border is crossed tells where
/// the device is at that moment. Therefore:
/// - The cell changes only when the location is more than a tenth of the cell outside it, so that standing at a border
///   does not show as a flicker.
/// - The reduced location as a whole, its times and sequence number included, changes only with the first location of
///   each interval of ``AccuracyLevel/minimumInterval`` seconds on the boot clock. So a crossing is known to the interval
///   and no better, be it by listening or by asking again and again, and nothing tells when finer locations arrived.
///
/// Keep one reducer per level for all clients, as long as the service runs, and pass its ``memory`` to the next
/// service: a new reducer has no cell to stay in, and many new ones near a border would show where the border is.
public struct GridReducer: Sendable {
  /// How far outside its cell a location must be, as a fraction of the cell.
  static let hysteresis = 0.1

  /// The level that this reducer reduces to.
  public let level: AccuracyLevel
  private let grid: Grid?
  private var choice: Choice?

  /// The decision made with the first location of an interval.
  private struct Choice {
    var interval: UInt64
    var cell: Grid.Cell
    var location: Location
  }

  /// Creates a reducer without a cell. ``AccuracyLevel/exact`` reduces nothing; ``AccuracyLevel/none``, for which
  /// there should be no location at all, reduces as ``AccuracyLevel/country``.
  public init(level: AccuracyLevel) {
    self.level = level
    grid = level.cellSize.map(Grid.init(cellSize:))
  }

  /// Returns the reduced form of a location.
  ///
  /// - Accuracy: the location's own and the reach of the cell together, rounded up to whole cells: at least the cell's
  ///   side.
  /// - Timestamp, `receivedAt` and `isSimulated`: of the location with which the interval began, which chose the cell.
  /// - `sequence`: the number of the interval, so that it tells nothing about other locations and survives a restart.
  /// - Altitude, speed, heading, source and description are absent.
  public mutating func reduce(_ location: Location) -> Location {
    guard let grid else { return location }
    let interval = location.receivedAt / length
    if let choice, choice.interval == interval { return choice.location }
    let choice = choose(for: location, in: interval, of: grid)
    self.choice = choice
    return choice.location
  }

  /// When the current reduced location may change next, microseconds of the boot clock; nil before the first one.
  public var changesAt: UInt64? { choice.map { ($0.interval * length).saturatingAdd(length) } }

  /// Microseconds of an interval.
  private var length: UInt64 { UInt64(max(1, level.minimumInterval)) * 1_000_000 }

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
    // The two errors are independent, so their squares add up.
    let reach = grid.reach(of: cell, margin: Self.hysteresis)
    let own = location.accuracy ?? 0
    let radius = (reach * reach + own * own).squareRoot()
    var reduced = grid.center(of: cell)
    reduced.accuracy = max(1, (radius / grid.cellSize).rounded(.up)) * grid.cellSize
    reduced.timestamp = location.timestamp
    reduced.receivedAt = location.receivedAt
    reduced.sequence = interval.saturatingAdd(1)
    reduced.isSimulated = location.isSimulated
    return Choice(interval: interval, cell: cell, location: reduced)
  }
}

/// State for the next service, so that a restart does not show a new cell.
extension GridReducer {
  /// The cell and its times in one line of text; nil if there is nothing to remember.
  public var memory: String? {
    guard let choice, let accuracy = choice.location.accuracy, grid != nil else { return nil }
    let time = choice.location.timestamp
    let numbers: [UInt64] = [
      choice.interval, UInt64(choice.cell.band), UInt64(choice.cell.column), UInt64(accuracy), time.seconds,
      time.microseconds, choice.location.receivedAt, choice.location.isSimulated ? 1 : 0,
    ]
    return ([level.contractName] + numbers.map(String.init)).joined(separator: " ")
  }

  /// Restores a line that another reducer wrote in this boot; nil if it is invalid, or from the future.
  public init?(memory: String, at boottime: UInt64) {
    let words = memory.split(separator: " ")
    let numbers = words.dropFirst().compactMap { UInt64($0) }
    guard words.count == 9, numbers.count == 8, let level = AccuracyLevel(contractName: String(words[0])) else {
      return nil
    }
    self.init(level: level)
    guard let grid, numbers[6] <= boottime, numbers[0] == numbers[6] / length,
      numbers[1] < UInt64(grid.bands), numbers[3] <= 100_000_000
    else { return nil }
    let band = Int(numbers[1])
    guard numbers[2] < UInt64(grid.columns(inBand: band)) else { return nil }
    let cell = Grid.Cell(band: band, column: Int(numbers[2]))
    var location = grid.center(of: cell)
    location.accuracy = Double(numbers[3])
    location.timestamp = Timestamp(seconds: numbers[4], microseconds: numbers[5])
    location.receivedAt = numbers[6]
    location.sequence = numbers[0].saturatingAdd(1)
    location.isSimulated = numbers[7] == 1
    choice = Choice(interval: numbers[0], cell: cell, location: location)
  }
}
