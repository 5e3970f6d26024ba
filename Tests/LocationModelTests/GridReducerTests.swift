// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import Testing

@testable import GeopublicistLocationModel

@Suite struct GridReducerTests {
  static let reducedLevels: [AccuracyLevel] = [.street, .neighborhood, .city, .country]
  static let second = Duration.seconds(1)

  /// The centre of the cell around a place in the middle latitudes, and the size of that cell in degrees.
  static func cell(_ level: AccuracyLevel) throws -> (center: Location, height: Double, width: Double) {
    let grid = Grid(cellSize: try #require(level.cellSize))
    let cell = grid.cell(latitude: 47.3, longitude: 8.5)
    return (grid.center(of: cell), grid.height, 360 / Double(grid.columns(inBand: cell.band)))
  }

  /// A fix at a distance from `center` in parts of the cell's side, in interval number `interval` of the level.
  static func fix(
    _ level: AccuracyLevel, north: Double = 0, east: Double = 0, interval: UInt64 = 0, second: UInt64 = 0,
    accuracy: Double? = 5
  ) throws -> Location {
    let (center, height, width) = try cell(level)
    return Location(
      latitude: center.latitude + north * height, longitude: center.longitude + east * width, accuracy: accuracy,
      receivedAt: interval * level.minimumInterval + Self.second * second)
  }

  @Test(arguments: reducedLevels)
  func `a reduced location contains only a cell's centre, a radius and the times`(level: AccuracyLevel) throws {
    let center = try Self.cell(level).center
    let measured = Timestamp(seconds: 1_800_000_000, microseconds: 7)
    var reducer = GridReducer(level: level)
    let reduced = reducer.reduce(
      Location(
        latitude: center.latitude + 1e-4, longitude: center.longitude - 1e-4, accuracy: 3, altitude: 400, speed: 2,
        heading: 90, sourceDescription: "GPS GGA", timestamp: measured, receivedAt: 5 * Self.second, sequence: 8,
        isSimulated: true))
    var expected = Location(
      latitude: center.latitude, longitude: center.longitude, accuracy: level.cellSize, timestamp: measured,
      receivedAt: 5 * Self.second, sequence: 1, isSimulated: true)
    expected.level = level
    #expect(reduced == expected)
  }

  @Test func `level exact is not reduced, and level none is reduced like level country`() throws {
    let fix = Location(latitude: 47.3, longitude: 8.5, accuracy: 3, speed: 2, sourceDescription: "GPS GGA")
    var (exact, none, country) = (GridReducer(level: .exact), GridReducer(level: .none), GridReducer(level: .country))
    #expect(exact.reduce(fix) == fix)
    #expect(none.reduce(fix) == country.reduce(fix))
  }

  @Test(
    arguments: [
      ("perfect", 0, 500), ("good", 50, 500), ("unknown", nil, 500),
      ("worse than the cell", 600, 1000),
      ("Wi-Fi", 1500, 2000), ("from the network address", 25_000, 25_500),
    ] as [(String, Double?, Double)])
  func `the radius of a reduced location covers both the cell and the fix's circle`(
    _: String, own: Double?, expected: Double
  ) throws {
    var reducer = GridReducer(level: .street)
    #expect(try reducer.reduce(Self.fix(.street, accuracy: own)).accuracy == expected)
  }

  @Test(arguments: reducedLevels)
  func `the cell changes only when a fix is at least a tenth of a cell beyond its border`(level: AccuracyLevel) throws {
    let center = try Self.cell(level).center
    for (north, east) in [(1.0, 0.0), (-1, 0), (0, 1), (0, -1)] {
      var reducer = GridReducer(level: level)
      let steps: [(Double, isAtHome: Bool)] = [
        (0, true), (0.49, true), (0.51, true), (0.599, true), (0.601, false),  // out
        (0.51, false), (0.49, false), (0.401, false), (0.399, true),  // and back, with the same hysteresis
      ]
      for (interval, step) in steps.enumerated() {
        let fix = try Self.fix(level, north: north * step.0, east: east * step.0, interval: UInt64(interval))
        let reduced = reducer.reduce(fix)
        #expect((reduced.distance(to: center) < 1e-3) == step.isAtHome, "step \(interval)")
      }
    }
  }

  @Test(arguments: reducedLevels)
  func `the reduced location changes at most once in each interval`(level: AccuracyLevel) throws {
    var reducer = GridReducer(level: level)
    let home = reducer.reduce(try Self.fix(level, interval: 5, accuracy: 25_000))
    for second in 1..<UInt64(level.minimumInterval.seconds) {
      #expect(reducer.reduce(try Self.fix(level, north: 2, interval: 5, second: second)) == home)
    }
    #expect(reducer.newest?.endOfInterval == 6 * level.minimumInterval)
    let away = reducer.reduce(try Self.fix(level, north: 2, interval: 6))
    #expect(away.latitude > home.latitude)
    #expect(away.sequence == home.sequence + 1)
    #expect(away.receivedAt == 6 * level.minimumInterval)
  }

  @Test(arguments: reducedLevels)
  func `the last location of an interval counts if none follows soon`(level: AccuracyLevel) throws {
    var reducer = GridReducer(level: level)
    let home = reducer.reduce(try Self.fix(level, interval: 5))
    let last = try Self.fix(level, north: 2, interval: 5, second: 1)
    #expect(reducer.reduce(last) == home)
    let time = try #require(reducer.settles(last))
    #expect(time == 6 * level.minimumInterval + min(Self.second * 10, level.minimumInterval / 2))
    reducer.settle(last, at: time - .microseconds(1))
    #expect(reducer.reduce(last) == home)
    reducer.settle(last, at: time)
    let away = reducer.reduce(last)
    #expect(away.latitude > home.latitude)
    #expect(away.sequence == home.sequence + 1)
    #expect(away.receivedAt == last.receivedAt)
    // That is the decision of the new interval, also for the next service.
    #expect(reducer.newest?.endOfInterval == 7 * level.minimumInterval)
    #expect(reducer.isCurrent(away, at: time))
    #expect(reducer.reduce(try Self.fix(level, interval: 6, second: 8)) == away)
    let memory = try #require(reducer.memory)
    #expect(GridReducer(memory: memory, at: time)?.memory == memory)
    #expect(GridReducer(memory: memory, at: 5 * level.minimumInterval + Self.second) == nil)
  }

  @Test(arguments: reducedLevels)
  func `a location from before a sleep is replaced by one in the same cell`(level: AccuracyLevel) throws {
    var reducer = GridReducer(level: level)
    let home = reducer.reduce(try Self.fix(level, interval: 5))
    let last = try Self.fix(level, interval: 5, second: 1)
    #expect(reducer.settles(last) == nil && reducer.settles(last, validFrom: home.receivedAt) == nil)
    let time = try #require(reducer.settles(last, validFrom: last.receivedAt))
    #expect(reducer.settle(last, at: time - .microseconds(1), validFrom: last.receivedAt) == nil)
    #expect(reducer.settle(last, at: time, validFrom: last.receivedAt)?.receivedAt == last.receivedAt)
    #expect(reducer.settles(last, validFrom: last.receivedAt) == nil)
  }

  @Test(arguments: reducedLevels)
  func `the last location of an interval is not that of a later one`(level: AccuracyLevel) throws {
    var reducer = GridReducer(level: level)
    let home = reducer.reduce(try Self.fix(level, interval: 5))
    let last = try Self.fix(level, north: 2, interval: 5, second: 1)
    let settled = reducer.settle(last, at: 9 * level.minimumInterval)
    let away = try #require(settled)
    #expect(away.latitude > home.latitude && away.sequence == home.sequence + 1)
    #expect(!reducer.isCurrent(away, at: 9 * level.minimumInterval))
    #expect(reducer.reduce(try Self.fix(level, interval: 9)).sequence == home.sequence + 4)
  }

  @Test(arguments: reducedLevels)
  func `a location of the next interval, or one in the same cell, counts before the last one`(level: AccuracyLevel)
    throws
  {
    var reducer = GridReducer(level: level)
    _ = reducer.reduce(try Self.fix(level, interval: 5))
    #expect(reducer.settles(try Self.fix(level, north: 0.2, interval: 5, second: 1)) == nil)
    let last = try Self.fix(level, north: 2, interval: 5, second: 1)
    let next = reducer.reduce(try Self.fix(level, interval: 6))
    reducer.settle(last, at: 8 * level.minimumInterval)
    #expect(reducer.reduce(last) == next)
  }

  @Test(arguments: reducedLevels)
  func `a location that was held back counts later in an interval without another one`(level: AccuracyLevel) throws {
    var reducer = GridReducer(level: level)
    #expect(reducer.counts(try Self.fix(level, interval: 5)) == nil, "there is nothing that it could replace")
    _ = reducer.reduce(try Self.fix(level, interval: 5))
    #expect(reducer.counts(try Self.fix(level, interval: 5, second: 2)) == nil, "the interval has a location")
    let heldBack = try Self.fix(level, interval: 7, second: 1)
    #expect(reducer.counts(heldBack) == 7 * level.minimumInterval + min(Self.second * 10, level.minimumInterval / 2))
    #expect(reducer.reduce(heldBack).receivedAt == heldBack.receivedAt)
    #expect(reducer.counts(heldBack) == nil)
  }

  @Test func `the reduced locations do not reveal the second in which a border was crossed`() throws {
    func outputs(crossingAt crossing: UInt64) throws -> [Location] {
      var reducer = GridReducer(level: .neighborhood)
      return try (0..<180).map { second in
        try reducer.reduce(Self.fix(.neighborhood, north: second < crossing ? 0 : 0.7, second: second))
      }
    }
    let reference = try outputs(crossingAt: 61)
    #expect(Set(reference.map(\.latitude)).count == 2)
    for crossing in 62...120 as ClosedRange<UInt64> { #expect(try outputs(crossingAt: crossing) == reference) }
    #expect(try outputs(crossingAt: 121) != reference)
  }

  @Test(arguments: reducedLevels)
  func `a reducer that is restored from a stored state continues where the old one stopped`(level: AccuracyLevel) throws
  {
    var reducer = GridReducer(level: level)
    #expect(reducer.memory == nil)
    let home = reducer.reduce(try Self.fix(level, interval: 5, accuracy: 30))
    let memory = try #require(reducer.memory)
    let now = home.receivedAt + Self.second
    var next = try #require(GridReducer(memory: memory, at: now))
    #expect(next.memory == memory)
    // Neither the interval nor the hysteresis is reset.
    #expect(next.reduce(try Self.fix(level, north: 2, interval: 5, second: 1)) == home)
    let atBorder = next.reduce(try Self.fix(level, north: 0.55, interval: 6))
    #expect(atBorder.latitude == home.latitude)
  }

  @Test(
    arguments: [
      "", "city", "exact 0 0 0 0 0 0 0 0", "none 0 0 0 0 0 0 0 0", "city 0 1 1 15000 0 0 0 0 0",
      "city 1 1 1 15000 0 0 0 0", "city 0 99999999 1 15000 0 0 0 0", "city 0 1 99999999 15000 0 0 0 0",
      "city 0 1 1 99999999999 0 0 0 0", "city 0 1 1 15000 0 0 2 0", "city -1 1 1 15000 0 0 0 0",
      "city 0 1 18446744073709551615 15000 0 0 0 0", "city 0 x 1 15000 0 0 0 0",
    ])
  func `an invalid stored state is refused`(memory: String) {
    #expect(GridReducer(memory: memory, at: 1) == nil)
  }

  @Test func `times at the end of the clock's range do not overflow`() throws {
    var reducer = GridReducer(level: .country)
    var fix = try Self.fix(.country)
    fix.receivedAt = .max
    _ = reducer.reduce(try Self.fix(.country))
    #expect(reducer.counts(fix) != nil)
    #expect(reducer.reduce(fix).receivedAt == .max)
  }
}
