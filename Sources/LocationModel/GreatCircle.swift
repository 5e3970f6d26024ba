// SPDX-License-Identifier: Apache-2.0
import Glibc

extension Location {
  /// Metres to `other` along the great circle, on a sphere of the Earth's mean radius: within 0.6 % of the ellipsoid.
  ///
  /// The haversine formula with one addition: what it would compute as `1 - a`, which loses its digits near the
  /// antipodes, is computed as the haversine to the antipode of `other`. So nothing cancels, from millimetres to half
  /// the way round, at the poles and across the antimeridian.
  public func distance(to other: Location) -> Double {
    let (latitude1, latitude2) = (latitude.radians, other.latitude.radians)
    let halfLongitude = (other.longitude - longitude).radians / 2
    let widths = cos(latitude1) * cos(latitude2)
    let near = squared(sin((latitude2 - latitude1) / 2)) + widths * squared(sin(halfLongitude))
    let far = squared(sin((latitude2 + latitude1) / 2)) + widths * squared(cos(halfLongitude))
    return 2 * Earth.meanRadius * atan2(near.squareRoot(), far.squareRoot())
  }
}

/// Figures of the Earth.
enum Earth {
  /// Mean radius, metres (IUGG R1).
  static let meanRadius = 6_371_008.8
  /// The smallest radius of curvature that WGS 84 has anywhere (of the meridian, at the equator), metres: a length
  /// computed with it is too short rather than too long.
  static let smallestRadius = 6_335_439.0
}

/// Arithmetic of degrees.
enum Angle {
  /// The same direction in 0 up to but not including 360 degrees.
  static func wrapped(_ degrees: Double) -> Double {
    let rest = fmod(degrees, 360)
    let positive = rest < 0 ? rest + 360 : rest
    // A tiny negative number is rounded up to 360 by the addition.
    return positive < 360 ? positive + 0 : 0
  }

  /// The shorter way from one longitude to another, -180 up to but not including 180 degrees.
  static func difference(from start: Double, to end: Double) -> Double {
    wrapped(end - start + 180) - 180
  }
}

extension Double {
  /// These degrees in radians.
  var radians: Double { self * .pi / 180 }
}

private func squared(_ number: Double) -> Double { number * number }
