// SPDX-License-Identifier: Apache-2.0
/// A circle on the Earth whose border can be monitored, modelled on CoreLocation's `CLCircularRegion`.
///
/// The centre is usually someone's home: the description names no coordinate, so that no log line can reveal one.
public struct CircularRegion: Hashable, Sendable {
  /// The radii that can be monitored, in metres. Below 50 m the errors of ordinary fixes are larger than the circle.
  public static let radii = 50.0...1_000_000.0

  /// Degrees north of the centre, WGS 84, -90 to 90.
  public let latitude: Double
  /// Degrees east of the centre, WGS 84, -180 to 180.
  public let longitude: Double
  /// Radius in metres, 50 to 1,000,000.
  public let radius: Double

  /// Returns nil unless all three numbers are finite and in range.
  public init?(latitude: Double, longitude: Double, radius: Double) {
    // Comparisons with NaN are false.
    guard abs(latitude) <= 90, abs(longitude) <= 180, Self.radii.contains(radius) else { return nil }
    self.latitude = latitude
    self.longitude = longitude
    self.radius = radius
  }

  /// Returns the great-circle distance from the centre to a location, in metres.
  public func distance(to location: Location) -> Double {
    Location(latitude: latitude, longitude: longitude).distance(to: location)
  }
}

extension CircularRegion: CustomStringConvertible, CustomDebugStringConvertible {
  public var description: String { "CircularRegion" }
  public var debugDescription: String { description }
}
