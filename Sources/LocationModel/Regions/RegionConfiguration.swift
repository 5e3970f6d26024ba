// SPDX-License-Identifier: Apache-2.0
/// The settings with which a region is monitored.
public struct RegionConfiguration: Hashable, Sendable {
  /// The circle whose border is monitored.
  public var region: CircularRegion
  /// How long a change must persist before it is reported.
  public var confirm = Duration.seconds(20)
  /// How long a stay lasts before ``RegionEvent/Kind/dwelled``; zero for never.
  public var dwell = Duration.zero
  /// The time without evidence before ``RegionEvent/Kind/lost``.
  public var unknownAfter = Duration.seconds(900)
  /// The state that the program remembers from its last run.
  public var assumed = RegionState.unknown
  /// Whether the first ``RegionEvent/Kind/entered`` or ``RegionEvent/Kind/exited`` ends the monitoring.
  public var isSingleUse = false

  /// Monitors a circle with the defaults of the D-Bus contract.
  public init(_ region: CircularRegion) { self.region = region }
}

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

  /// Returns the distance from the centre to a location on the WGS 84 ellipsoid, in metres.
  public func distance(to location: Location) -> Double {
    Location(latitude: latitude, longitude: longitude).distance(to: location)
  }
}

extension CircularRegion: CustomStringConvertible, CustomDebugStringConvertible {
  public var description: String { "CircularRegion" }
  public var debugDescription: String { description }
}

/// The options of `CreateRegion` that subscriptions do not have.
///
/// A required option is nil until it is given.
public struct RegionOptions: Hashable, Sendable {
  /// Latitude of the centre in degrees, -90 to 90.
  public var latitude: Double?
  /// Longitude of the centre in degrees, -180 to 180.
  public var longitude: Double?
  /// Radius in metres, 50 to 1,000,000.
  public var radius: Double?
  /// How long a change must persist.
  public var confirm = Duration.seconds(20)
  /// The time inside before `dwelled`; zero for never.
  public var dwell = Duration.zero
  /// The time without evidence before `lost`.
  public var unknownAfter = Duration.seconds(900)
  /// The state that the program remembers from its last run.
  public var assumed = RegionState.unknown
  /// Whether the first crossing ends the region.
  public var isSingleUse = false
  /// Whether events contain the location.
  public var includesLocation = false

  /// Creates the defaults.
  public init() {}

  /// Creates the options for a configuration.
  public init(_ configuration: RegionConfiguration) {
    (latitude, longitude) = (configuration.region.latitude, configuration.region.longitude)
    radius = configuration.region.radius
    confirm = configuration.confirm
    dwell = configuration.dwell
    unknownAfter = configuration.unknownAfter
    assumed = configuration.assumed
    isSingleUse = configuration.isSingleUse
  }

  /// Returns the region to monitor. Throws if a required option is missing.
  package func configuration() throws(OptionError) -> RegionConfiguration {
    let latitude = try required(latitude, .latitude)
    let longitude = try required(longitude, .longitude)
    let radius = try required(radius, .radius)
    // The ranges of the options are those of the region.
    guard let circle = CircularRegion(latitude: latitude, longitude: longitude, radius: radius) else {
      throw ClientOption.radius.refusal
    }
    var configuration = RegionConfiguration(circle)
    configuration.confirm = confirm
    configuration.dwell = dwell
    configuration.unknownAfter = unknownAfter
    configuration.assumed = assumed
    configuration.isSingleUse = isSingleUse
    return configuration
  }

  private func required(_ number: Double?, _ option: ClientOption) throws(OptionError) -> Double {
    guard let number else { throw OptionError(message: "The option \(option.name) (type \(option.type)) is required") }
    return number
  }
}
