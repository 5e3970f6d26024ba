// SPDX-License-Identifier: Apache-2.0
import Glibc

extension Location {
  /// Returns the shortest distance to `other` on the WGS 84 ellipsoid, in metres.
  ///
  /// This is the formula of Andoyer and Lambert in the form of J. Meeus, *Astronomical Algorithms*, chapter 11: the
  /// great circle with a correction of the first order of the flattening. The error is less than 0.01 % up to 15,000 km
  /// and less than 1 % near the antipode. The result is also accurate for distances of millimetres, at the poles and
  /// across the antimeridian.
  public func distance(to other: Location) -> Double {
    let middle = (latitude + other.latitude).radians / 2
    let halfLatitude = (latitude - other.latitude).radians / 2
    let halfLongitude = (longitude - other.longitude).radians / 2
    let (north, south) = (squared(sin(middle)), squared(cos(middle)))
    let (across, along) = (squared(sin(halfLatitude)), squared(cos(halfLatitude)))
    let (east, aligned) = (squared(sin(halfLongitude)), squared(cos(halfLongitude)))
    // The squares of the sine and the cosine of half the angle between the places.
    let near = across * aligned + south * east
    let far = along * aligned + north * east
    let half = atan2(near.squareRoot(), far.squareRoot())
    guard half != 0 else { return 0 }
    let ratio = (near * far).squareRoot() / half
    var correction = 0.0
    if far > 0 { correction += (3 * ratio - 1) / (2 * far) * north * along }
    if near > 0 { correction -= (3 * ratio + 1) / (2 * near) * south * across }
    return 2 * half * Earth.equatorialRadius * (1 + Earth.flattening * correction)
  }
}

/// The ellipsoid of WGS 84.
enum Earth {
  /// Metres.
  static let equatorialRadius = 6_378_137.0
  static let flattening = 1 / 298.257_223_563
  /// The smallest radius of curvature in metres (of the meridian at the equator). A length computed from it is too short
  /// rather than too long.
  static let smallestRadius = 6_335_439.0
}

private func squared(_ number: Double) -> Double { number * number }
