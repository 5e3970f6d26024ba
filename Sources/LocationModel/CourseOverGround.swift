// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The direction in which the device moves, from its last measurements.
package struct CourseOverGround: Sendable {
  /// How long a measurement counts.
  static let memory = Duration.seconds(10)
  /// The number of measurements that are kept, whatever a source announces.
  static let capacity = 32

  private var recent: [Location] = []

  package init() {}

  /// Records a new measurement. Returns the course in degrees from the newest earlier measurement that lies clearly
  /// apart from this one and is at most ``memory`` older; nil if there is none.
  package mutating func heading(at location: Location) -> Double? {
    recent.removeAll { !(.zero...Self.memory).contains(location.timestamp - $0.timestamp) }
    defer {
      if recent.count == Self.capacity { recent.removeFirst() }
      recent.append(location)
    }
    let origin = recent.last { old in
      guard let accuracy = location.accuracy, let oldAccuracy = old.accuracy else { return false }
      return old.distance(to: location) >= max(10, 5 * max(accuracy, oldAccuracy))
    }
    return origin?.bearing(to: location)
  }
}

extension Location {
  /// Returns the direction of `other`, in degrees clockwise from true north. Computed on the sphere, which is exact to
  /// a tenth of a degree for neighbours.
  func bearing(to other: Location) -> Double {
    let (from, to) = (latitude.radians, other.latitude.radians)
    let across = (other.longitude - longitude).radians
    let angle = atan2(sin(across) * cos(to), cos(from) * sin(to) - sin(from) * cos(to) * cos(across))
    return Angle.wrapped(angle * 180 / .pi)
  }
}
