// SPDX-License-Identifier: Apache-2.0
import Glibc

extension Location {
  /// Returns the great-circle distance to `other` in metres, on a sphere with the Earth's mean radius. The error
  /// relative to the ellipsoid is at most 0.6 %.
  ///
  /// Uses the haversine formula with one change: `1 - a`, which loses precision near the antipode, is computed as the
  /// haversine to the antipode of `other`. The result is accurate from millimetres to half the circumference, at the
  /// poles and across the antimeridian.
  public func distance(to other: Location) -> Double {
    let (latitude1, latitude2) = (latitude.radians, other.latitude.radians)
    let halfLongitude = (other.longitude - longitude).radians / 2
    let widths = cos(latitude1) * cos(latitude2)
    let near = squared(sin((latitude2 - latitude1) / 2)) + widths * squared(sin(halfLongitude))
    let far = squared(sin((latitude2 + latitude1) / 2)) + widths * squared(cos(halfLongitude))
    return 2 * Earth.meanRadius * atan2(near.squareRoot(), far.squareRoot())
  }
}

enum Earth {
  /// The mean radius in metres (IUGG R1).
  static let meanRadius = 6_371_008.8
  /// The smallest radius of curvature of WGS 84 in metres (of the meridian at the equator). A length computed from it
  /// is too short rather than too long.
  static let smallestRadius = 6_335_439.0
}

enum Angle {
  static func wrapped(_ degrees: Double) -> Double {
    let rest = fmod(degrees, 360)
    let positive = rest < 0 ? rest + 360 : rest
    // The addition rounds a tiny negative number up to 360.
    return positive < 360 ? positive + 0 : 0
  }

  /// Returns the shorter way from one longitude to another, from -180 up to but not including 180 degrees.
  static func difference(from start: Double, to end: Double) -> Double { wrapped(end - start + 180) - 180 }
}

extension Double {
  var radians: Double { self * .pi / 180 }
}

private func squared(_ number: Double) -> Double { number * number }
