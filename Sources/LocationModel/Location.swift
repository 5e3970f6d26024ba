// SPDX-License-Identifier: Apache-2.0
/// A fix: where, how sure, when measured and when received.
///
/// What is unknown is `nil`, never a sentinel. Values from outside become a `Location` only through
/// ``LocationValidator``, which sees to the ranges given here.
public struct Location: Equatable, Sendable {
  /// Degrees north, WGS 84, -90 to 90.
  public var latitude: Double
  /// Degrees east, WGS 84, -180 to 180.
  public var longitude: Double
  /// Radius of the circle that the true position is in, metres; 0 is a claim of GPS receivers, not "unknown".
  public var accuracy: Double?
  /// Metres above mean sea level.
  public var altitude: Double?
  /// Metres a second over ground.
  public var speed: Double?
  /// Course over ground, degrees clockwise from north, 0 up to but not including 360.
  public var heading: Double?
  /// What the source says about itself, such as "WiFi"; plain text of at most 255 bytes.
  public var sourceDescription: String?
  /// What it was determined with.
  public var source: SourceKind
  /// When it was measured, by the wall clock of whoever measured.
  public var timestamp: Timestamp
  /// When it reached the service: microseconds of `CLOCK_BOOTTIME`, which goes on during suspend.
  public var receivedAt: UInt64
  /// Counts the fixes of this service, so that a consumer can tell a repeated one from a new one.
  public var sequence: UInt64
  /// Whether a test source made it up.
  public var isSimulated: Bool

  /// Makes a location as given, unchecked.
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
  /// Whether the other location is the same one handed over again: measured at the same time, at the same place.
  public func isSameMeasurement(as other: Location) -> Bool {
    timestamp == other.timestamp && latitude == other.latitude && longitude == other.longitude
      && accuracy == other.accuracy
  }
}

extension Location: CustomStringConvertible, CustomDebugStringConvertible {
  /// Names the fix without saying where it is, so that no log line can give a coordinate away by interpolation.
  public var description: String { "Location(sequence: \(sequence))" }

  /// The same as ``description``: nor may a debugging message tell a coordinate.
  public var debugDescription: String { description }
}
