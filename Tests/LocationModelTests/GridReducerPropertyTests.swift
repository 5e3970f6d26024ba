// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import Glibc
import Testing

@testable import GeopublicistLocationModel

/// Invariants for every track, checked on pseudorandom ones that are the same in each run.
@Suite struct GridReducerPropertyTests {
  /// 10,000 fixes, one per second, of a random walk at `speed` metres a second.
  static func track(from start: Location, speed: Double, seed: UInt64) -> [Location] {
    var random = SeededGenerator(seed: seed)
    var (place, heading) = (start, Double.random(in: 0..<360, using: &random))
    return (0..<10_000).map { second in
      heading += 10 * random.nextNormal()
      let north = speed * cos(heading.radians) / 111_195
      let east = speed * sin(heading.radians) / 111_195 / max(cos(place.latitude.radians), 1e-6)
      place.latitude = min(max(place.latitude + north, -90), 90)
      place.longitude = Angle.difference(from: 0, to: place.longitude + east)
      place.accuracy = 5
      place.receivedAt = .seconds(7_000 + second)
      return place
    }
  }

  static let starts = [
    Location(latitude: 47.3, longitude: 8.5), Location(latitude: 0, longitude: 0),
    Location(latitude: -17, longitude: 179.99), Location(latitude: 89.9, longitude: 30),
    Location(latitude: -89.99, longitude: -120),
  ]

  @Test(arguments: GridReducerTests.reducedLevels, [1.4, 30, 250])
  func `the reduced locations of a moving device reveal only its cells`(level: AccuracyLevel, speed: Double) throws {
    let grid = Grid(cellSize: try #require(level.cellSize))
    for (seed, start) in Self.starts.enumerated() {
      var reducer = GridReducer(level: level)
      var interval: UInt64?
      for fix in Self.track(from: start, speed: speed, seed: UInt64(seed)) {
        let told = reducer.reduce(fix)
        // The result depends only on the cell: it is the centre of its own cell.
        let cell = grid.cell(latitude: told.latitude, longitude: told.longitude)
        let center = grid.center(of: cell)
        try #require(told.latitude == center.latitude && told.longitude == center.longitude)
        try #require(told.speed == nil && told.heading == nil && told.altitude == nil)
        try #require(try #require(told.accuracy) >= grid.cellSize)
        // The result is correct: the first fix of an interval lies within the radius, and at most a tenth of a cell
        // outside the cell.
        let thisInterval = fix.receivedAt.microseconds / UInt64(level.minimumInterval.microseconds)
        guard thisInterval != interval else { continue }
        interval = thisInterval
        try #require(grid.contains(cell, latitude: fix.latitude, longitude: fix.longitude, margin: 0.1 + 1e-9))
        try #require(told.distance(to: fix) <= told.accuracy ?? 0)
      }
    }
  }

  @Test(arguments: GridReducerTests.reducedLevels)
  func `two tracks through the same cells yield the same reduced locations`(level: AccuracyLevel) throws {
    let grid = Grid(cellSize: try #require(level.cellSize))
    var random = SeededGenerator(seed: 9)
    var (straight, wild) = (GridReducer(level: level), GridReducer(level: level))
    let home = grid.cell(latitude: 47.3, longitude: 8.5)
    for step in 0..<2000 {
      // One track is at the centre of each cell, the other one anywhere in it.
      let cell = Grid.Cell(band: home.band, column: home.column + step / 20)
      var center = grid.center(of: cell)
      center.receivedAt = step * level.minimumInterval
      var anywhere = center
      anywhere.latitude += .random(in: -0.49...0.49, using: &random) * grid.height
      // The first tenth of a cell may still count as the previous cell.
      anywhere.longitude += .random(in: -0.39...0.49, using: &random) * 360 / Double(grid.columns(inBand: cell.band))
      #expect(straight.reduce(center) == wild.reduce(anywhere))
    }
  }

  @Test(
    arguments: GridReducerTests.reducedLevels,
    [(0.3, 0.3), (0.499, 0), (-0.501, 0.2), (0, 0.4999), (0.5, 0.5)] as [(Double, Double)])
  func `the average of a day of reduced locations does not reveal the place`(
    level: AccuracyLevel, offset: (north: Double, east: Double)
  ) throws {
    var random = SeededGenerator(seed: 11)
    let (center, height, width) = try GridReducerTests.cell(level)
    let truth = Location(
      latitude: center.latitude + offset.north * height, longitude: center.longitude + offset.east * width)
    var reducer = GridReducer(level: level)
    var told: [Location] = []
    for minute in 0..<1440 as Range<UInt64> {
      var fix = truth
      fix.latitude += 10 * random.nextNormal() / 111_195
      fix.longitude += 10 * random.nextNormal() / 111_195
      fix.accuracy = 10
      fix.receivedAt = .seconds(minute * 60)
      told.append(reducer.reduce(fix))
    }
    // The cell is the same all day, so there is nothing to average, and the mean is as far off as the first location.
    #expect(Set(told.map(\.latitude)).count == 1)
    #expect(Set(told.map(\.longitude)).count == 1)
    let size = try #require(level.cellSize)
    #expect(told[0].distance(to: truth) > size / 4)
  }

  @Test(arguments: GridReducerTests.reducedLevels)
  func `an earlier, finer fix does not influence a reduced location`(level: AccuracyLevel) throws {
    let coarse = try GridReducerTests.fix(level, north: 3, east: 3, interval: 1, accuracy: 20_000)
    var fresh = GridReducer(level: level)
    let expected = fresh.reduce(coarse)
    var random = SeededGenerator(seed: 13)
    for _ in 0..<100 {
      var reducer = GridReducer(level: level)
      _ = reducer.reduce(
        try GridReducerTests.fix(
          level, north: .random(in: -0.5...0.5, using: &random), east: .random(in: -0.5...0.5, using: &random)))
      #expect(reducer.reduce(coarse) == expected)
    }
  }
}
