import Testing

@testable import GeopublicistLocationModel

@Suite struct GridReducerTests {
  static let reducedLevels: [AccuracyLevel] = [.street, .neighborhood, .city, .country]
  static let second: UInt64 = 1_000_000

  /// The centre of the cell around a place in the middle latitudes, and the size of that cell in degrees.
  static func cell(_ level: AccuracyLevel) throws -> (center: Location, height: Double, width: Double) {
    let grid = Grid(cellSize: try #require(level.cellSize))
    let cell = grid.cell(latitude: 47.3, longitude: 8.5)
    return (grid.center(of: cell), grid.height, 360 / Double(grid.columns(inBand: cell.band)))
  }

  /// A fix away from `center` by parts of the cell, in interval number `interval` of the level.
  static func fix(
    _ level: AccuracyLevel, north: Double = 0, east: Double = 0, interval: UInt64 = 0, second: UInt64 = 0,
    accuracy: Double? = 5
  ) throws -> Location {
    let (center, height, width) = try cell(level)
    return Location(
      latitude: center.latitude + north * height, longitude: center.longitude + east * width, accuracy: accuracy,
      receivedAt: (interval * UInt64(level.minimumInterval) + second) * Self.second)
  }

  @Test(arguments: reducedLevels)
  func `Only the centre, a radius and the times remain`(level: AccuracyLevel) throws {
    let center = try Self.cell(level).center
    let measured = Timestamp(seconds: 1_800_000_000, microseconds: 7)
    var reducer = GridReducer(level: level)
    let reduced = reducer.reduce(
      Location(
        latitude: center.latitude + 1e-4, longitude: center.longitude - 1e-4, accuracy: 3, altitude: 400, speed: 2,
        heading: 90, sourceDescription: "GPS GGA", timestamp: measured, receivedAt: 5 * Self.second, sequence: 8,
        isSimulated: true))
    let expected = Location(
      latitude: center.latitude, longitude: center.longitude, accuracy: level.cellSize, timestamp: measured,
      receivedAt: 5 * Self.second, sequence: 8, isSimulated: true)
    #expect(reduced == expected)
  }

  @Test func `Exact is not reduced, and none is reduced the most`() throws {
    let fix = Location(latitude: 47.3, longitude: 8.5, accuracy: 3, speed: 2, sourceDescription: "GPS GGA")
    var (exact, none, country) = (
      GridReducer(level: .exact), GridReducer(level: .none), GridReducer(level: .country)
    )
    #expect(exact.reduce(fix) == fix)
    #expect(none.reduce(fix) == country.reduce(fix))
  }

  @Test(
    arguments: [
      ("as good as it gets", 0, 500), ("a good one", 50, 500), ("unknown", nil, 500),
      ("worse than the cell", 600, 1000),
      ("Wi-Fi", 1500, 2000), ("network address", 25_000, 25_500),
    ] as [(String, Double?, Double)])
  func `The radius holds both the cell and the fix's own circle`(_: String, own: Double?, expected: Double) throws {
    var reducer = GridReducer(level: .street)
    #expect(try reducer.reduce(Self.fix(.street, accuracy: own)).accuracy == expected)
  }

  @Test(arguments: reducedLevels)
  func `A tenth of the cell must be between the cell and the fix`(level: AccuracyLevel) throws {
    let center = try Self.cell(level).center
    for (north, east) in [(1.0, 0.0), (-1, 0), (0, 1), (0, -1)] {
      var reducer = GridReducer(level: level)
      let steps: [(Double, isAtHome: Bool)] = [
        (0, true), (0.49, true), (0.51, true), (0.599, true), (0.601, false),  // out
        (0.51, false), (0.49, false), (0.401, false), (0.399, true),  // and back, as reluctantly
      ]
      for (interval, step) in steps.enumerated() {
        let fix = try Self.fix(level, north: north * step.0, east: east * step.0, interval: UInt64(interval))
        let reduced = reducer.reduce(fix)
        #expect((reduced.distance(to: center) < 1e-3) == step.isAtHome, "step \(interval)")
      }
    }
  }

  @Test(arguments: reducedLevels)
  func `The cell changes only with the first fix of an interval`(level: AccuracyLevel) throws {
    var reducer = GridReducer(level: level)
    let home = reducer.reduce(try Self.fix(level, interval: 5))
    for second in 1..<UInt64(level.minimumInterval) {
      let reduced = reducer.reduce(try Self.fix(level, north: 2, interval: 5, second: second))
      #expect(reduced.latitude == home.latitude && reduced.accuracy == home.accuracy)
      #expect(reduced.receivedAt == home.receivedAt + second * Self.second)
    }
    let away = reducer.reduce(try Self.fix(level, north: 2, interval: 6))
    #expect(away.latitude > home.latitude)
  }

  @Test func `The second at which the border was crossed is not told`() throws {
    func outputs(crossingAt crossing: UInt64) throws -> [Location] {
      var reducer = GridReducer(level: .neighborhood)
      return try (0..<180).map { second in
        try reducer.reduce(Self.fix(.neighborhood, north: second < crossing ? 0 : 0.7, second: second))
      }
    }
    let reference = try outputs(crossingAt: 61)
    #expect(Set(reference.map(\.latitude)).count == 2)
    for crossing in 62...120 as ClosedRange<UInt64> {
      #expect(try outputs(crossingAt: crossing) == reference)
    }
    #expect(try outputs(crossingAt: 121) != reference)
  }

  @Test func `A cell chosen by a coarse fix is corrected by a better one at once`() throws {
    var reducer = GridReducer(level: .city)
    let wrong = reducer.reduce(try Self.fix(.city, north: 2, accuracy: 25_000))
    let right = reducer.reduce(try Self.fix(.city, second: 1, accuracy: 20))
    #expect(right.latitude < wrong.latitude)
    #expect(right.accuracy == 15_000)
    // A fix that could tell the cell needs no correction, however good the next one is.
    let later = reducer.reduce(try Self.fix(.city, north: 2, second: 2, accuracy: 1))
    #expect(later.latitude == right.latitude)
  }

  @Test func `Regardless of when it first looks, a coarse fix is not corrected by one as coarse`() throws {
    var reducer = GridReducer(level: .city)
    let first = reducer.reduce(try Self.fix(.city, north: 2, accuracy: 25_000))
    for accuracy in [nil, 25_000, 12_501] as [Double?] {
      #expect(try reducer.reduce(Self.fix(.city, second: 9, accuracy: accuracy)).latitude == first.latitude)
    }
  }

  @Test func `Times at the end of the range do no harm`() throws {
    var reducer = GridReducer(level: .country)
    var fix = try Self.fix(.country)
    fix.receivedAt = .max
    #expect(reducer.reduce(fix).receivedAt == .max)
  }
}
