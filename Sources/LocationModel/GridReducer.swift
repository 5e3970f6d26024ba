// SPDX-License-Identifier: Apache-2.0
import GeopublicistInstants

/// Reduces locations to an accuracy level. The result is the centre of a cell of a fixed grid, and a radius. Nothing in
/// it is computed from finer data.
///
/// Fresh noise in each update could be averaged out, and the time of crossing a border would reveal the exact position
/// at that moment. Therefore:
/// - The cell changes only when the location is more than a tenth of the cell outside it, so that staying near a border
///   causes no flicker.
/// - The whole reduced location, including its times and sequence number, is determined by the first location of each
///   interval of ``AccuracyLevel/minimumInterval`` seconds on the boot clock. The time of a crossing is therefore known
///   only to within an interval, whether a client listens or polls, and nothing reveals when finer locations arrived.
/// - If none arrives soon after the beginning of an interval, the last one before counts instead. Many sources are silent
///   while nothing moves, so the first location after a move could otherwise be the only one for hours. If that changes
///   nothing, a location counts that was held back in favour of an earlier and finer one.
///
/// Keep one reducer per level for all clients while the service runs, and pass its ``memory`` to the next service. A
/// new reducer has no previous cell, so many new ones near a border would reveal the border.
package struct GridReducer: Sendable {
  /// The fraction of a cell by which a location must be outside before the cell changes.
  static let hysteresis = 0.1

  package let level: AccuracyLevel
  private let grid: Grid?
  private var choice: Choice?

  /// The decision of an interval.
  private struct Choice {
    var interval: UInt64
    var cell: Grid.Cell
    var location: Location
  }

  /// Creates a reducer without a cell. ``AccuracyLevel/exact`` does not reduce. ``AccuracyLevel/none``, for which there
  /// should be no location at all, reduces like ``AccuracyLevel/country``.
  package init(level: AccuracyLevel) {
    self.level = level
    grid = level.cellSize.map(Grid.init(cellSize:))
  }

  /// Returns the reduced form of a location.
  ///
  /// - Accuracy: the combination of the location's own accuracy and the reach of the cell, rounded up to a multiple of
  ///   the cell's side length, and at least that length.
  /// - Timestamp, `receivedAt` and `isSimulated`: those of the location that determined the cell.
  /// - `sequence`: the number of the interval, so that it reveals nothing about other locations and survives a restart.
  /// - `isApproximate` and `isFromStatic`: what remains of the location's own accuracy and source.
  /// - Altitude, speed, heading, source and description are absent.
  package mutating func reduce(_ location: Location) -> Location {
    guard let grid else { return location }
    let interval = level.interval(of: location.receivedAt)
    if let choice, choice.interval >= interval { return choice.location }
    let choice = choose(for: location, in: interval, of: grid)
    self.choice = choice
    return choice.location
  }

  /// When a location, unless another one arrives before, changes the reduced one; nil if it does not. A reduced location
  /// from before `validFrom` is always replaced.
  package func settles(_ location: Location, validFrom: BootInstant = .origin) -> BootInstant? {
    guard let grid, let choice, location.receivedAt > choice.location.receivedAt else { return nil }
    let next = choose(for: location, in: choice.interval, of: grid)
    let isSame =
      choice.location.receivedAt >= validFrom && next.cell == choice.cell
      && next.location.accuracy == choice.location.accuracy
      && next.location.isApproximate == choice.location.isApproximate
      && next.location.isFromStatic == choice.location.isFromStatic
    return isSame ? nil : choice.location.endOfInterval + level.settlingTime
  }

  /// Decides about the next interval with the newest location if none has arrived since that began. Returns the new
  /// reduced location, or nil if it has not changed.
  @discardableResult
  package mutating func settle(
    _ location: Location, at now: BootInstant, validFrom: BootInstant = .origin
  ) -> Location? {
    guard let grid, let time = settles(location, validFrom: validFrom), now >= time, let before = choice else {
      return nil
    }
    // Not the present interval: if this call is late, a newer location may still decide about that one.
    let choice = choose(for: location, in: before.interval &+ 1, of: grid)
    self.choice = choice
    return choice.location
  }

  /// When a location counts that was held back, unless another one arrives before; nil if its interval has one.
  package func counts(_ heldBack: Location) -> BootInstant? {
    let interval = level.interval(of: heldBack.receivedAt)
    guard grid != nil, let choice, interval > choice.interval else { return nil }
    return BootInstant(microseconds: interval * level.intervalLength) + level.settlingTime
  }

  /// The reduced location of the last interval that has one.
  package var newest: Location? { choice?.location }

  /// Whether the interval of a reduced location has not ended at `now`, so that no finer location can change it.
  package func isCurrent(_ reduced: Location, at now: BootInstant) -> Bool {
    grid != nil && now < reduced.endOfInterval
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
    // The two errors are independent, so add their squares.
    let reach = grid.reach(of: cell, margin: Self.hysteresis)
    let own = location.accuracy ?? 0
    let radius = (reach * reach + own * own).squareRoot()
    var reduced = grid.center(of: cell)
    reduced.accuracy = max(1, (radius / grid.cellSize).rounded(.up)) * grid.cellSize
    reduced.timestamp = location.timestamp
    reduced.receivedAt = location.receivedAt
    reduced.sequence = interval &+ 1
    reduced.isSimulated = location.isSimulated
    reduced.level = max(level, .country)
    reduced.isApproximate =
      location.source == .ip || location.accuracy.map { $0 > Location.approximateAccuracy } ?? true
    reduced.isFromStatic = location.source == .static
    return Choice(interval: interval, cell: cell, location: reduced)
  }
}

extension AccuracyLevel {
  /// Returns the number of the interval of ``minimumInterval`` in which a time lies.
  fileprivate func interval(of time: BootInstant) -> UInt64 { time.microseconds / intervalLength }

  fileprivate var intervalLength: UInt64 { UInt64(clamping: max(.seconds(1), minimumInterval).microseconds) }

  /// How long after the beginning of an interval its first location is awaited. A source that measures regularly has
  /// measured by then.
  fileprivate var settlingTime: Duration { min(.seconds(10), .microseconds(intervalLength / 2)) }
}

extension Location {
  /// When the interval ends in which a reduced location was determined.
  package var endOfInterval: BootInstant {
    let (end, overflows) = sequence.multipliedReportingOverflow(by: level.intervalLength)
    return overflows ? .distantFuture : BootInstant(microseconds: end)
  }
}

// MARK: - State for the next service, so that a restart does not reveal a new cell
extension GridReducer {
  /// The cell and its times as one line of text, or nil if there is no cell.
  package var memory: String? {
    guard let choice, let accuracy = choice.location.accuracy, grid != nil else { return nil }
    let time = choice.location.timestamp
    let numbers: [UInt64] = [
      choice.interval, UInt64(choice.cell.band), UInt64(choice.cell.column), UInt64(accuracy), time.seconds,
      time.microseconds, choice.location.receivedAt.microseconds,
      (choice.location.isSimulated ? 1 : 0) + (choice.location.isApproximate ? 2 : 0)
        + (choice.location.isFromStatic ? 4 : 0),
    ]
    return ([level.contractName] + numbers.map(String.init)).joined(separator: " ")
  }

  /// Restores a line that another reducer wrote since the machine was booted. Returns nil if it is invalid or from the
  /// future.
  package init?(memory: String, at now: BootInstant) {
    let words = memory.split(separator: " ")
    let numbers = words.dropFirst().compactMap { UInt64($0) }
    guard words.count == 9, numbers.count == 8, let level = AccuracyLevel(contractName: String(words[0])) else {
      return nil
    }
    self.init(level: level)
    let receivedAt = BootInstant(microseconds: numbers[6])
    guard let grid, receivedAt <= now, numbers[0] >= level.interval(of: receivedAt),
      numbers[0] <= level.interval(of: now), numbers[1] < UInt64(grid.bands), numbers[3] <= 100_000_000
    else { return nil }
    let band = Int(numbers[1])
    guard numbers[2] < UInt64(grid.columns(inBand: band)) else { return nil }
    let cell = Grid.Cell(band: band, column: Int(numbers[2]))
    var location = grid.center(of: cell)
    location.accuracy = Double(numbers[3])
    location.timestamp = Timestamp(seconds: numbers[4], microseconds: numbers[5])
    location.receivedAt = receivedAt
    location.sequence = numbers[0] &+ 1
    location.isSimulated = numbers[7] & 1 != 0
    location.level = level
    location.isApproximate = numbers[7] & 2 != 0
    location.isFromStatic = numbers[7] & 4 != 0
    choice = Choice(interval: numbers[0], cell: cell, location: location)
  }
}
