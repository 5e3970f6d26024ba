// SPDX-License-Identifier: Apache-2.0
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
  /// Milliseconds for which a change must persist.
  public var confirm: UInt32 = 20_000
  /// Milliseconds inside before `dwelled`; 0 for never.
  public var dwell: UInt32 = 0
  /// Milliseconds without evidence before `lost`.
  public var unknownAfter: UInt32 = 900_000
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
  public func configuration() throws(OptionError) -> RegionConfiguration {
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
