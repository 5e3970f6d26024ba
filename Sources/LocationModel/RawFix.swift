/// A fix just as a source gave it, sentinels and all; ``LocationValidator`` makes a ``Location`` of it.
public struct RawFix: Sendable {
  /// Degrees north.
  public var latitude: Double
  /// Degrees east.
  public var longitude: Double
  /// Metres; GeoClue says -1 for unknown.
  public var accuracy: Double
  /// Metres; GeoClue says the most negative finite number for unknown.
  public var altitude: Double
  /// Metres a second; GeoClue says -1 for unknown.
  public var speed: Double
  /// Degrees clockwise from north; GeoClue says -1 for unknown.
  public var heading: Double
  /// Free text about the source, often empty.
  public var sourceDescription: String
  /// When the source says that it measured.
  public var timestamp: Timestamp

  /// Makes a raw fix as given; what is left out is what GeoClue says for unknown.
  public init(
    latitude: Double,
    longitude: Double,
    accuracy: Double = -1,
    altitude: Double = -.greatestFiniteMagnitude,
    speed: Double = -1,
    heading: Double = -1,
    sourceDescription: String = "",
    timestamp: Timestamp = Timestamp()
  ) {
    self.latitude = latitude
    self.longitude = longitude
    self.accuracy = accuracy
    self.altitude = altitude
    self.speed = speed
    self.heading = heading
    self.sourceDescription = sourceDescription
    self.timestamp = timestamp
  }
}

extension RawFix: CustomStringConvertible, CustomDebugStringConvertible {
  /// Tells no coordinate, as ``Location/description``.
  public var description: String { "RawFix" }

  /// The same as ``description``.
  public var debugDescription: String { description }
}
