// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The evidence of one location for a region.
enum RegionEvidence: Equatable, Sendable {
  case inside
  /// The device is outside, by more than the margin that keeps a border from flapping.
  case outside
  /// The location is too coarse, or too close to the border, to be evidence.
  case uncertain

  /// The smallest accuracy that is assumed, in metres: receivers in towns are off by more, whatever they report.
  static let smallestAccuracy = 15.0
  /// From this radius on, in metres, a larger share of the location's circle must lie within the region.
  static let largeRadius = 300.0

  /// Returns the evidence of a location; nil if its accuracy is unknown.
  ///
  /// `inside` is Android's rule: the whole circle of the location, or a large share of its area, lies within the
  /// region. `outside` requires that no part of it does: otherwise every coarse location, with its small share, would
  /// be an exit.
  ///
  /// - Parameter state: The present state. To leave it, more is needed: a margin beyond the border, or, for locations
  ///   that are fine enough to be wholly within the region wherever the device is, the whole circle.
  init?(of location: Location, on region: CircularRegion, in state: RegionState) {
    guard let accuracy = Self.accuracy(of: location) else { return nil }
    let distance = region.distance(to: location)
    // The margin is at least the accuracy, because the noise of coarse sources is that large.
    let margin = state == .inside ? min(max(region.radius / 10, accuracy, 20), 500) : 0
    let neededShare = region.radius >= Self.largeRadius ? 0.85 : 0.75
    let needsAll = state == .outside && accuracy <= region.radius / 2
    if distance + accuracy <= region.radius
      || !needsAll && Self.share(ofRadius: accuracy, within: region.radius, distance: distance) >= neededShare
    {
      self = .inside
    } else if distance - accuracy > region.radius + margin {
      self = .outside
    } else {
      self = .uncertain
    }
  }

  /// Returns the accuracy that is assumed for a location, in metres; nil if it is unknown.
  static func accuracy(of location: Location) -> Double? { location.accuracy.map { max($0, smallestAccuracy) } }

  /// Returns the share of a circle's area, 0 to 1, that lies within another circle whose centre is `distance` away.
  ///
  /// Computed in the plane, which differs by less than a percent for the radii that can be monitored.
  static func share(ofRadius own: Double, within other: Double, distance: Double) -> Double {
    guard distance < own + other else { return 0 }
    if distance <= abs(own - other) {
      let ratio = min(own, other) / own
      return ratio * ratio
    }
    let (d, r, s) = (distance, own, other)
    // Half of the angles that the common chord subtends at each centre.
    let mine = acos(clamped((d * d + r * r - s * s) / (2 * d * r)))
    let theirs = acos(clamped((d * d + s * s - r * r) / (2 * d * s)))
    let lens = r * r * (mine - sin(2 * mine) / 2) + s * s * (theirs - sin(2 * theirs) / 2)
    return lens / (.pi * r * r)
  }

  private static func clamped(_ cosine: Double) -> Double { min(max(cosine, -1), 1) }
}
