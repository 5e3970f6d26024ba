// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@Suite struct GreatCircleTests {
  /// A quarter of the great circle on the mean sphere, metres.
  static let quarter = 6_371_008.8 * Double.pi / 2

  static func at(_ latitude: Double, _ longitude: Double) -> Location {
    Location(latitude: latitude, longitude: longitude)
  }

  @Test(
    arguments: [
      ("the same place", at(52, 13), at(52, 13), 0, 0),
      ("a degree of the equator", at(0, 0), at(0, 1), quarter / 90, 1e-6),
      ("a degree of a meridian", at(10, 20), at(11, 20), quarter / 90, 1e-6),
      ("a millimetre north", at(45, 7), at(45 + 9e-9, 7), 0.001, 1e-6),
      ("across the antimeridian", at(0, 179.5), at(0, -179.5), quarter / 90, 1e-6),
      ("180 is -180", at(10, 180), at(10, -180), 0, 1e-6),
      ("pole to pole", at(90, 0), at(-90, 77), 2 * quarter, 1e-6),
      ("all longitudes are one at the pole", at(90, 12), at(90, -140), 0, 1e-6),
      ("over the pole", at(89.5, 0), at(89.5, 180), quarter / 90, 1e-6),
      ("antipodes", at(30, 40), at(-30, -140), 2 * quarter, 1e-6),
      ("a metre from the antipodes", at(0, 0), at(0, 180 - 1 / (quarter / 90)), 2 * quarter - 1, 1e-6),
      ("from pole to equator", at(90, 0), at(0, 123), quarter, 1e-6),
      ("by the law of cosines", at(52.52, 13.405), at(48.8566, 2.3522), 877_464.538, 0.001),
    ] as [(String, Location, Location, Double, Double)])
  func `distances are correct everywhere`(_: String, a: Location, b: Location, metres: Double, tolerance: Double) {
    #expect(abs(a.distance(to: b) - metres) <= tolerance)
    #expect(abs(b.distance(to: a) - metres) <= tolerance)
  }

  @Test func `the steps of a walk add up to its length`() {
    let (start, end) = (Self.at(60, 24), Self.at(60.01, 24))
    let steps = (0...1000).map { Self.at(60 + 0.01 * Double($0) / 1000, 24) }
    let sum = zip(steps, steps.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
    #expect(abs(sum - start.distance(to: end)) < 1e-6)
  }

  @Test func `NaN passes no distance threshold`() {
    let distance = Self.at(.nan, 0).distance(to: Self.at(0, 0))
    #expect(!(distance >= 0))
  }
}
