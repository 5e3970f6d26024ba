// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GeopublicistLocationModel

@Suite struct CourseOverGroundTests {
  private func fix(_ second: UInt64, north: Double = 0, east: Double = 0, accuracy: Double? = 2) -> Location {
    // Metres at 60° north, where a degree of longitude is half as long as at the equator.
    Location(
      latitude: 60 + north / 111_412, longitude: 179.9999 + east / 55_800, accuracy: accuracy,
      timestamp: Timestamp(seconds: 1_700_000_000 + second))
  }

  @Test(arguments: [(20.0, 0.0, 0.0), (0, 20, 90), (-20, 0, 180), (0, -20, 270), (20, 20, 45)])
  func `the course is the direction from an earlier location to the current one`(
    north: Double, east: Double, expected: Double
  ) throws {
    var course = CourseOverGround()
    #expect(course.heading(at: fix(0)) == nil)
    let found = course.heading(at: fix(3, north: north, east: east))
    let heading = try #require(found)
    #expect(abs((heading - expected + 540).truncatingRemainder(dividingBy: 360) - 180) < 0.3)
  }

  @Test func `an earlier location that is too near, too old or too inaccurate yields no course`() {
    for (second, north, accuracy) in [
      (1, 9.9, 1.0), (1, 49, 10), (11, 20, 2), (0, 20, nil),
    ] as [(UInt64, Double, Double?)] {
      var course = CourseOverGround()
      _ = course.heading(at: fix(second == 0 ? 5 : 0))
      #expect(course.heading(at: fix(second, north: north, accuracy: accuracy)) == nil)
    }
  }

  @Test func `the newest distant location determines the course in a turn, even after a burst of fixes`() throws {
    var course = CourseOverGround()
    _ = course.heading(at: fix(0))
    _ = course.heading(at: fix(2, north: 30))
    let heading = course.heading(at: fix(4, north: 30, east: 30))
    #expect(abs(try #require(heading) - 90) < 0.3)
    for _ in 0..<10_000 { _ = course.heading(at: fix(5, north: 30, east: 30)) }
    #expect(course.heading(at: fix(5, north: 60, east: 30)) != nil)
  }
}
