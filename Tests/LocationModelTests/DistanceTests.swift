// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistTestSupport
import Glibc
import Testing

@Suite struct DistanceTests {
  private static func at(_ latitude: Double, _ longitude: Double) -> Location {
    Location(latitude: latitude, longitude: longitude)
  }

  /// The geodesic by Vincenty's iteration (1975), exact to a millimetre; nil near the antipode.
  private static func vincenty(_ a: Location, _ b: Location) -> Double? {
    let (equator, flattening) = (6_378_137.0, 1 / 298.257223563)
    let pole = equator * (1 - flattening)
    let radian = Double.pi / 180
    let (first, second) = (
      atan((1 - flattening) * tan(a.latitude * radian)), atan((1 - flattening) * tan(b.latitude * radian))
    )
    let difference = remainder(b.longitude - a.longitude, 360) * radian
    var lambda = difference
    for _ in 0..<200 {
      let x = cos(second) * sin(lambda)
      let y = cos(first) * sin(second) - sin(first) * cos(second) * cos(lambda)
      let sine = (x * x + y * y).squareRoot()
      guard sine > 0 else { return 0 }
      let cosine = sin(first) * sin(second) + cos(first) * cos(second) * cos(lambda)
      let sigma = atan2(sine, cosine)
      let alpha = cos(first) * cos(second) * sin(lambda) / sine
      let square = 1 - alpha * alpha
      let middle = square > 0 ? cosine - 2 * sin(first) * sin(second) / square : 0
      let c = flattening / 16 * square * (4 + flattening * (4 - 3 * square))
      let last = lambda
      lambda =
        difference + (1 - c) * flattening * alpha
        * (sigma + c * sine * (middle + c * cosine * (2 * middle * middle - 1)))
      guard abs(lambda - last) < 1e-12 else { continue }
      let u = square * (equator * equator / pole / pole - 1)
      let bigA = 1 + u / 16_384 * (4_096 + u * (u * (320 - 175 * u) - 768))
      let bigB = u / 1_024 * (256 + u * (u * (74 - 47 * u) - 128))
      let inner = cosine * (2 * middle * middle - 1)
      let outer = bigB / 6 * middle * (4 * sine * sine - 3) * (4 * middle * middle - 3)
      return pole * bigA * (sigma - bigB * sine * (middle + bigB / 4 * (inner - outer)))
    }
    return nil
  }

  @Test(
    arguments: [
      ("the same place", at(52, 13), at(52, 13), 0, 0),
      ("a degree of the equator", at(0, 0), at(0, 1), 111_319.491, 2),
      ("a degree of a meridian at the equator", at(-0.5, 20), at(0.5, 20), 110_574.4, 2),
      ("a degree of a meridian at the pole", at(89, 20), at(90, 20), 111_693.9, 2),
      ("a millimetre north", at(45, 7), at(45 + 9e-9, 7), 0.001, 1e-6),
      ("across the antimeridian", at(0, 179.5), at(0, -179.5), 111_319.491, 2),
      ("180 is -180", at(10, 180), at(10, -180), 0, 1e-6),
      ("pole to pole", at(90, 0), at(-90, 77), 20_003_931.5, 200),
      ("all longitudes are one at the pole", at(90, 12), at(90, -140), 0, 1e-6),
      ("over the pole", at(89.5, 0), at(89.5, 180), 111_694, 2),
      ("antipodes", at(30, 40), at(-30, -140), 20_003_931.5, 100_000),
      ("from pole to equator", at(90, 0), at(0, 123), 10_001_965.7, 100),
    ] as [(String, Location, Location, Double, Double)])
  func `the distance between two places is correct everywhere on Earth`(
    _: String, a: Location, b: Location, metres: Double, tolerance: Double
  ) {
    #expect(abs(a.distance(to: b) - metres) <= tolerance)
    #expect(abs(b.distance(to: a) - metres) <= tolerance)
  }

  @Test func `distances on the ellipsoid match an exact method within 0.01 percent`() throws {
    var random = SeededGenerator(seed: 8)
    var largest = 0.0
    for _ in 0..<20_000 {
      let latitude = Double.random(in: -90...90, using: &random)
      let start = Self.at(latitude, .random(in: -180...180, using: &random))
      // From metres to thousands of kilometres.
      let reach = pow(10, Double.random(in: -4...1.8, using: &random))
      let end = Self.at(
        min(max(latitude + .random(in: -reach...reach, using: &random), -90), 90),
        start.longitude + .random(in: -reach...reach, using: &random))
      let exact = try #require(Self.vincenty(start, end))
      guard exact > 1 else { continue }
      largest = max(largest, abs(start.distance(to: end) / exact - 1))
    }
    #expect(largest < 0.0001, "\(largest)")
  }

  @Test func `the distances of many short steps add up to the length of the walk`() {
    let (start, end) = (Self.at(60, 24), Self.at(60.01, 24))
    let steps = (0...1000).map { Self.at(60 + 0.01 * Double($0) / 1000, 24) }
    let sum = zip(steps, steps.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
    #expect(abs(sum - start.distance(to: end)) < 1e-3)
  }

  @Test func `a distance that is NaN passes no threshold`() {
    let distance = Self.at(.nan, 0).distance(to: Self.at(0, 0))
    #expect(!(distance >= 0))
  }
}
