// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import GeopublicistLocationModel

@Suite struct RegionEvidenceTests {
  @Test(
    arguments: [
      ("a location of unknown accuracy is not evidence", 0, nil, 200, .unknown, nil),
      ("a reported accuracy below 15 m counts as 15 m", 210, 1.7, 200, .unknown, .uncertain),
      ("a reported accuracy below 15 m counts as 15 m", 216, 1.7, 200, .unknown, .outside),
      ("a circle within the region is evidence for inside", 150, 50, 200, .unknown, .inside),
      ("a circle beyond the region is evidence for outside", 260, 50, 200, .unknown, .outside),
      ("a circle across the border is uncertain", 230, 50, 200, .unknown, .uncertain),
      ("a device that is inside leaves the region only beyond a margin", 219, 15, 200, .inside, .uncertain),
      ("a device that is inside leaves the region only beyond a margin", 236, 15, 200, .inside, .outside),
      ("a device that is inside leaves the region only beyond a margin", 100_400, 100, 100_000, .inside, .uncertain),
      ("a device that is inside leaves the region only beyond a margin", 100_700, 100, 100_000, .inside, .outside),
      ("the margin is at least the accuracy", 300, 100, 200, .inside, .uncertain),
      ("the margin is at least the accuracy", 401, 100, 200, .inside, .outside),
      ("the margin is at most 500 m", 2_600, 1_050, 1_000, .inside, .outside),
      ("a region is entered by the whole circle of a fine location", 180, 30, 200, .unknown, .inside),
      ("a region is entered by the whole circle of a fine location", 180, 30, 200, .outside, .uncertain),
      ("a region is entered by the whole circle of a fine location", 169, 30, 200, .outside, .inside),
      ("a coarse location is inside depending on its share", 50, 180, 200, .outside, .inside),
      ("a coarse location centred on a region is not an exit", 0, 25_000, 100, .inside, .uncertain),
      // The region's border is half the location's radius beyond the location's centre, so 75 to 80 % of the location's
      // circle is inside.
      ("a larger region needs a larger share", 254, 90, 299, .unknown, .inside),
      ("a larger region needs a larger share", 255, 90, 300, .unknown, .uncertain),
    ] as [(String, Double, Double?, Double, RegionState, RegionEvidence?)])
  func `a location is evidence for a region depending on the overlap of their circles`(
    _: String, metres: Double, accuracy: Double?, radius: Double, state: RegionState, expected: RegionEvidence?
  ) {
    let location = RegionSimulation.location(metres, accuracy: accuracy, measured: 0)
    let region = RegionSimulation.configuration(radius: radius).region
    #expect(RegionEvidence(of: location, on: region, in: state) == expected)
  }

  /// Counts points of a fine lattice instead of computing the lens.
  private func countedShare(_ own: Double, _ other: Double, _ distance: Double) -> Double {
    var (within, all) = (0, 0)
    let steps = 400
    for column in -steps...steps {
      for row in -steps...steps {
        let x = Double(column) / Double(steps) * own
        let y = Double(row) / Double(steps) * own
        guard x * x + y * y <= own * own else { continue }
        all += 1
        if (x - distance) * (x - distance) + y * y <= other * other { within += 1 }
      }
    }
    return Double(within) / Double(all)
  }

  @Test(arguments: [(10.0, 100.0, 95.0), (100, 60, 80), (50, 50, 50), (100, 20, 0), (30, 40, 100), (20, 90, 10)])
  func `the share of a circle within another circle is computed correctly`(own: Double, other: Double, distance: Double)
  {
    let share = RegionEvidence.share(ofRadius: own, within: other, distance: distance)
    #expect(abs(share - countedShare(own, other, distance)) < 0.005)
  }
}

@Suite struct CircularRegionTests {
  @Test(arguments: [
    (90.0, 0.0, 50.0), (-90, 180, 1_000_000), (0, -180, 100), (48, 11, 50),
  ])
  func `a region may contain a pole or the antimeridian, or have the largest radius`(
    latitude: Double, longitude: Double, radius: Double
  ) {
    #expect(CircularRegion(latitude: latitude, longitude: longitude, radius: radius) != nil)
  }

  @Test(arguments: [
    (90.1, 0.0, 100.0), (0, 180.1, 100), (0, 0, 49.9), (0, 0, 1_000_001), (.nan, 0, 100), (0, .nan, 100),
    (0, 0, .nan), (0, 0, .infinity), (.infinity, 0, 100),
  ])
  func `a region with numbers out of range is refused`(latitude: Double, longitude: Double, radius: Double) {
    #expect(CircularRegion(latitude: latitude, longitude: longitude, radius: radius) == nil)
  }

  @Test func `distances within a region that crosses the antimeridian are computed correctly`() throws {
    let region = try #require(CircularRegion(latitude: 0, longitude: 179.999, radius: 500))
    #expect(region.distance(to: Location(latitude: 0, longitude: -179.999)) < 250)
  }

  @Test func `the descriptions of a region and its events reveal no coordinate`() throws {
    let region = try #require(CircularRegion(latitude: 48.137, longitude: 11.575, radius: 100))
    #expect("\(region) \(String(reflecting: region))" == "CircularRegion CircularRegion")
    let event = RegionEvent(
      kind: .lost, state: .unknown, previous: .inside, reason: .noFix, sequence: 1,
      timestamp: Timestamp(seconds: 0, microseconds: 0), committedAt: .origin,
      location: Location(latitude: 48.137, longitude: 11.575))
    #expect("\(event)" == "lost: no-fix")
  }
}
