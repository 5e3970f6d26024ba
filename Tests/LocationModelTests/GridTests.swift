// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import Glibc
import Testing

@testable import GeopublicistLocationModel

@Suite struct GridTests {
  static let sizes = AccuracyLevel.allCases.compactMap(\.cellSize)

  /// Places everywhere, with more of them in difficult regions.
  static func places(_ count: Int, seed: UInt64) -> [Location] {
    var random = SeededGenerator(seed: seed)
    let special: [Double] = [-90, -89.9999, -89, -0.0001, 0, 0.0001, 89, 89.9999, 90]
    let longitudes: [Double] = [-180, -179.9999, -0.0001, 0, 0.0001, 179.9999, 180]
    let corners = special.flatMap { latitude in longitudes.map { Location(latitude: latitude, longitude: $0) } }
    let anywhere = (0..<count).map { _ in
      Location(latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random))
    }
    let nearPoles = (0..<count).map { _ in
      let latitude = 90 - Double.random(in: 0...8, using: &random)
      return Location(
        latitude: Bool.random(using: &random) ? latitude : -latitude,
        longitude: .random(in: -180...180, using: &random))
    }
    return corners + anywhere + nearPoles
  }

  @Test func `the sizes and intervals of cells match the documentation`() {
    let expected: [(AccuracyLevel, Double?, Double)] = [
      (.street, 500, 10), (.neighborhood, 3000, 60), (.city, 15_000, 300), (.country, 300_000, 900),
      (.none, 300_000, 900), (.exact, nil, 0),
    ]
    for (level, cellSize, interval) in expected {
      #expect(level.cellSize == cellSize)
      #expect(level.minimumInterval.seconds == interval)
    }
  }

  @Test(arguments: sizes)
  func `each cell is at least as large as its nominal size, and at most 3 percent taller`(size: Double) {
    let grid = Grid(cellSize: size)
    for band in stride(from: 0, to: grid.bands, by: max(1, grid.bands / 997)) {
      let south = Double(band) * grid.height - 90
      let metresPerDegree = Double.pi / 180 * 6_371_000
      #expect(grid.height * metresPerDegree >= size)
      #expect(grid.height * metresPerDegree <= size * 1.03)
      let columns = grid.columns(inBand: band)
      guard columns > 1 else {
        #expect(band == 0 || band == grid.bands - 1)
        continue
      }
      let narrowest = max(abs(south), abs(south + grid.height)).radians
      #expect(360 / Double(columns) * metresPerDegree * cos(narrowest) >= size)
    }
  }

  @Test(arguments: sizes)
  func `each place is in its cell, and the centre of a cell is in that cell`(size: Double) {
    let grid = Grid(cellSize: size)
    for place in Self.places(2000, seed: 1) {
      let cell = grid.cell(latitude: place.latitude, longitude: place.longitude)
      let center = grid.center(of: cell)
      #expect(grid.contains(cell, latitude: place.latitude, longitude: place.longitude, margin: 1e-9))
      #expect(abs(center.latitude) <= 90 && abs(center.longitude) <= 180)
      #expect(grid.cell(latitude: center.latitude, longitude: center.longitude).band == cell.band)
      #expect(grid.cell(latitude: center.latitude, longitude: center.longitude) == cell)
      #expect(center.distance(to: place) <= grid.reach(of: cell, margin: 0) * (1 + 1e-9))
    }
  }

  @Test(arguments: sizes)
  func `no place that counts as part of a cell is outside the cell's radius`(size: Double) {
    let grid = Grid(cellSize: size)
    var random = SeededGenerator(seed: 2)
    for place in Self.places(300, seed: 3) {
      let cell = grid.cell(latitude: place.latitude, longitude: place.longitude)
      let (center, reach) = (grid.center(of: cell), grid.reach(of: cell, margin: 0.1))
      for _ in 0..<20 {
        let near = Location(
          latitude: min(max(center.latitude + .random(in: -0.6...0.6, using: &random) * grid.height * 2, -90), 90),
          longitude: center.longitude + .random(in: -180...180, using: &random))
        guard grid.contains(cell, latitude: near.latitude, longitude: near.longitude, margin: 0.1) else { continue }
        #expect(center.distance(to: near) <= reach * (1 + 1e-9))
      }
    }
  }

  @Test(arguments: sizes)
  func `longitudes 180 and -180 are in the same cell`(size: Double) {
    let grid = Grid(cellSize: size)
    for latitude in stride(from: -90.0, through: 90, by: 7.5) {
      #expect(grid.cell(latitude: latitude, longitude: 180) == grid.cell(latitude: latitude, longitude: -180))
      let cell = grid.cell(latitude: latitude, longitude: -179.999999)
      #expect(grid.contains(cell, latitude: latitude, longitude: 179.999999, margin: 0.1))
    }
  }

  @Test(arguments: sizes)
  func `at a pole all longitudes are one cell, and its centre is the pole`(size: Double) {
    let grid = Grid(cellSize: size)
    for pole in [-90.0, 90] {
      let cells = Set(stride(from: -180.0, through: 180, by: 15).map { grid.cell(latitude: pole, longitude: $0) })
      #expect(cells.count == 1)
      #expect(cells.map { grid.center(of: $0).latitude } == [pole])
    }
  }
}
