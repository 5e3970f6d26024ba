// SPDX-License-Identifier: Apache-2.0
@_exported import GeopublicistInstants

/// A location with its accuracy and the times of its measurement and receipt.
///
/// Unknown values are `nil`, never sentinels. External values become a `Location` only through ``LocationValidator``,
/// which enforces the ranges given here.
public struct Location: Equatable, Sendable {
  /// Degrees north, WGS 84, -90 to 90.
  public var latitude: Double
  /// Degrees east, WGS 84, -180 to 180.
  public var longitude: Double
  /// The radius in metres. GeoClue defines no confidence level. 0 is reported by some GPS receivers and does not mean
  /// "unknown".
  public var accuracy: Double?
  /// Metres above mean sea level.
  public var altitude: Double?
  /// Speed over ground, in metres per second.
  public var speed: Double?
  /// Course over ground, in degrees clockwise from true north, from 0 up to but not including 360.
  public var heading: Double?
  /// The source's description, such as "WiFi". Plain text of at most 255 bytes.
  public var sourceDescription: String?
  /// How the location was determined.
  public var source: SourceKind
  /// When it was measured, according to the wall clock of the source.
  public var timestamp: Timestamp
  /// When it reached the service; the origin if that is not known.
  public var receivedAt: BootInstant
  /// The number of the location within this service, so that a client can distinguish a repeated location from a new
  /// one.
  public var sequence: UInt64
  /// Whether it comes from a test source instead of a measurement.
  public var isSimulated: Bool
  /// What the source reported instead of ``timestamp``, if that was too far in the future.
  package var futureTime: Timestamp?
  /// Whether a reduced location was derived from a network address, or from a location whose accuracy was unknown or
  /// worse than ``approximateAccuracy``.
  package var isApproximate = false
  /// Whether a reduced location was derived from a fixed one.
  package var isFromStatic = false
  /// The level to which it has been reduced: the finest that it reveals.
  package var level = AccuracyLevel.exact
  /// Whether an earlier run of the service received it. Such a location has neither a sequence number nor a time of the
  /// boot clock.
  package var isRemembered = false

  /// The accuracy in metres that the location of an almanac should have.
  package static let approximateAccuracy = 10_000.0

  /// Creates a location from values that are not validated.
  public init(
    latitude: Double, longitude: Double, accuracy: Double? = nil, altitude: Double? = nil, speed: Double? = nil,
    heading: Double? = nil, sourceDescription: String? = nil, timestamp: Timestamp = Timestamp(),
    receivedAt: BootInstant = .origin, sequence: UInt64 = 0, isSimulated: Bool = false, source: SourceKind = .unknown
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
  /// When it was measured, as the source reported it: the same for each report of a measurement, even while the source's
  /// clock is ahead of this machine's. If the source reports no time, this is the time of arrival.
  package var reportedTime: Timestamp { futureTime ?? timestamp }

  /// Returns whether the other location is a repetition of this one, measured at the same time and place.
  public func isSameMeasurement(as other: Location) -> Bool {
    reportedTime == other.reportedTime && latitude == other.latitude && longitude == other.longitude
      && accuracy == other.accuracy
  }
}

extension Location {
  /// Whether it is the same measurement as another one, and not asserted again since.
  package func isRepetition(of other: Location) -> Bool {
    isSameMeasurement(as: other) && !(isAsserted && receivedAt > other.receivedAt)
  }

  /// Whether GeoClue determines the location once and then asserts it until it changes.
  package var isAsserted: Bool { source == .static || source == .ip }

  /// Whether an administrator entered the location, so that it is valid until another one is announced.
  var isStatic: Bool { source == .static || isFromStatic }

  /// Whether the position is exactly 0,0, which receivers report before they have a fix.
  package var isAtZero: Bool { latitude == 0 && longitude == 0 }
}

extension Location: CustomStringConvertible, CustomDebugStringConvertible {
  /// Identifies the location without coordinates, so that interpolation cannot reveal them in a log.
  public var description: String { "Location(sequence: \(sequence))" }

  /// The same as ``description``, so that debug output does not reveal coordinates either.
  public var debugDescription: String { description }
}

extension Location {
  /// Reads a latitude and a longitude in degrees, such as `52.5,13.4`; nil for anything else.
  package init?(degrees text: String) {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    // Comparisons with NaN are false.
    guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1], abs(latitude) <= 90,
      abs(longitude) <= 180
    else { return nil }
    self.init(latitude: latitude, longitude: longitude)
  }
}

/// How a location was determined. Raw values as in `Source` of the D-Bus contract.
public enum SourceKind: String, CaseIterable, Sendable {
  /// A satellite receiver.
  case gnss
  /// Wi-Fi access points.
  case wifi
  /// Mobile phone cells.
  case cell
  /// The network address, which may be off by kilometres or belong to a provider.
  case ip
  /// A fixed location entered by an administrator.
  case `static`
  /// A recorded track.
  case replay
  /// The source did not report how it measured the location.
  case unknown
}

/// A wall-clock time as represented on D-Bus: `(tt)`, seconds and microseconds since 1970 in UTC.
///
/// Always normalised: a million microseconds are carried over to the seconds, and an overflow yields the maximum value,
/// because both numbers come from other processes.
public struct Timestamp: Hashable, Sendable {
  /// Whole seconds since 1970-01-01T00:00:00Z.
  public let seconds: UInt64
  /// The fraction of the second, from 0 to 999,999.
  public let microseconds: UInt64

  /// Creates a timestamp from a `(tt)`. Microseconds of one million and above are carried over.
  public init(seconds: UInt64 = 0, microseconds: UInt64 = 0) {
    let (sum, overflow) = seconds.addingReportingOverflow(microseconds / Self.perSecond)
    self.seconds = overflow ? .max : sum
    self.microseconds = overflow ? Self.perSecond - 1 : microseconds % Self.perSecond
  }

  /// Creates a timestamp from microseconds since 1970.
  public init(microsecondsSinceEpoch: UInt64) { self.init(seconds: 0, microseconds: microsecondsSinceEpoch) }

  /// Microseconds since 1970, or the maximum value on overflow (after the year 586,000).
  public var microsecondsSinceEpoch: UInt64 {
    let (product, tooLarge) = seconds.multipliedReportingOverflow(by: Self.perSecond)
    let (sum, overflow) = product.addingReportingOverflow(microseconds)
    return tooLarge || overflow ? .max : sum
  }

  /// Returns the time between two times, negative if the first is earlier.
  public static func - (end: Timestamp, begin: Timestamp) -> Duration {
    .microseconds(end.microsecondsSinceEpoch) - .microseconds(begin.microsecondsSinceEpoch)
  }

  private static let perSecond: UInt64 = 1_000_000
}

extension Timestamp: Comparable {
  /// Returns whether the left time is earlier.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    (left.seconds, left.microseconds) < (right.seconds, right.microseconds)
  }
}
