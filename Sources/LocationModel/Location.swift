// SPDX-License-Identifier: Apache-2.0
/// A location: where, how accurate, when measured and when received.
///
/// Unknown values are `nil`, never sentinels. Values from outside become a `Location` only through
/// ``LocationValidator``, which enforces the ranges given here.
public struct Location: Equatable, Sendable {
  /// Degrees north, WGS 84, -90 to 90.
  public var latitude: Double
  /// Degrees east, WGS 84, -180 to 180.
  public var longitude: Double
  /// Radius in metres; GeoClue defines no confidence level. 0 is a claim of GPS receivers, not "unknown".
  public var accuracy: Double?
  /// Metres above mean sea level.
  public var altitude: Double?
  /// Speed over ground, in metres per second.
  public var speed: Double?
  /// Course over ground, in degrees clockwise from true north, 0 up to but not including 360.
  public var heading: Double?
  /// The description by the source, such as "WiFi"; plain text of at most 255 bytes.
  public var sourceDescription: String?
  /// How the location was determined.
  public var source: SourceKind
  /// When it was measured, by the wall clock of the source.
  public var timestamp: Timestamp
  /// When it reached the service, in microseconds of `CLOCK_BOOTTIME`, which includes suspend.
  public var receivedAt: UInt64
  /// Number of the location in this service, so that a client can tell a repeated one from a new one.
  public var sequence: UInt64
  /// Whether it was not measured, but comes from a test source.
  public var isSimulated: Bool

  /// Creates a location of unchecked values.
  public init(
    latitude: Double,
    longitude: Double,
    accuracy: Double? = nil,
    altitude: Double? = nil,
    speed: Double? = nil,
    heading: Double? = nil,
    sourceDescription: String? = nil,
    timestamp: Timestamp = Timestamp(),
    receivedAt: UInt64 = 0,
    sequence: UInt64 = 0,
    isSimulated: Bool = false,
    source: SourceKind = .unknown
  ) {
    self.latitude = latitude
    self.longitude = longitude
    self.accuracy = accuracy
    self.altitude = altitude
    self.speed = speed
    self.heading = heading
    self.sourceDescription = sourceDescription
    self.timestamp = timestamp
    self.receivedAt = receivedAt
    self.sequence = sequence
    self.isSimulated = isSimulated
    self.source = source
  }
}

extension Location {
  /// Whether the other location is the same one delivered again: measured at the same time and place.
  public func isSameMeasurement(as other: Location) -> Bool {
    timestamp == other.timestamp && latitude == other.latitude && longitude == other.longitude
      && accuracy == other.accuracy
  }
}

extension Location {
  /// Returns the microseconds since the location was measured, by its own time, or since it was received if those are more.
  ///
  /// - Parameters:
  ///   - boottime: Microseconds of `CLOCK_BOOTTIME`.
  ///   - wallClock: The time now.
  public func age(at boottime: UInt64, _ wallClock: Timestamp) -> UInt64 {
    let sinceReceived = boottime > receivedAt ? boottime - receivedAt : 0
    return max(sinceReceived, UInt64(clamping: wallClock.microseconds(since: timestamp)))
  }
}

extension Location: CustomStringConvertible, CustomDebugStringConvertible {
  /// Identifies the location without coordinates, so that no log line can reveal one by interpolation.
  public var description: String { "Location(sequence: \(sequence))" }

  /// The same as ``description``: debugging messages must not reveal a coordinate either.
  public var debugDescription: String { description }
}
