// SPDX-License-Identifier: Apache-2.0
import GeopublicistInstants

/// Why a raw fix was rejected. Raw values may be logged, because they contain no coordinate.
public enum FixRejection: String, Error, CaseIterable, Sendable {
  /// Latitude or longitude is infinite or NaN.
  case notFinite = "not-finite"
  /// Latitude or longitude is out of range.
  case outOfRange = "out-of-range"
  /// It lies near 0,0 like an uninitialised value and is not a satellite fix.
  case notMeasured = "not-measured"
}

/// Validates the raw values of a source. A location with an implausible position is rejected. Any other implausible
/// value becomes unknown.
public enum LocationValidator {
  /// The maximum radius reported for satellite receivers, in metres. GeoClue derives at most 300 m from a receiver's
  /// dilution of precision, so a larger radius comes from Wi-Fi, cells or the network address, which measure no speed.
  public static let coarsestSatelliteAccuracy = 500.0

  /// The maximum plausible speed in metres per second: 1,000 knots, at which export rules require civil receivers to
  /// stop working. GeoClue computes a missing speed from two fixes, whose sources may disagree by kilometres.
  public static let fastestSpeed = 515.0

  /// How far in the future, by the wall clock, a fix may have been measured, in seconds. Beyond that, one of the clocks
  /// is wrong.
  public static let clockSkew = Duration.seconds(60)

  /// Half the circumference of the Earth in metres. A radius this large carries no information.
  static let largestAccuracy = 20_037_508.0
  static let altitudes = -12_000.0...100_000.0
  /// The smallest accuracy, in metres, of exactly 0,0 from a receiver without a fix, whose dilution is above 10.
  static let accuracyWithoutFix = 100.0
  /// A coarse fix within this many degrees of 0,0 was not measured. The range exceeds GeoClue's scrambling of up to 2
  /// km and is far less than the 500 km to the nearest shore, so no access point, cell or network can be there.
  static let nowhere = -0.03...0.03
  static let longestDescription = 255

  /// Returns the validated form of `raw`, which contains the values exactly as reported by the source, including
  /// sentinels.
  ///
  /// - Accuracy: unknown if negative, not finite or at least half the Earth's circumference. 0 is kept, because
  ///   receivers report it.
  /// - Altitude: unknown outside -12 to 100 km.
  /// - Speed: unknown if negative, faster than ``fastestSpeed``, or combined with an accuracy that no receiver has. In
  ///   the latter two cases the heading, which GeoClue computes from the same two fixes, is unknown as well.
  /// - Heading: -1 is unknown. Others are wrapped to 0 up to but not including 360.
  /// - 0,0 and its vicinity: rejected unless the accuracy is that of a satellite receiver, the only source that can be
  ///   there. Exactly 0,0 is rejected unless the accuracy is that of a receiver with a fix.
  /// - Timestamp: replaced by `wallClock` if 0 or more than ``clockSkew`` in the future. The time of an asserted
  ///   location is that of this computer's clock, so more than a second in the future shows that the clock was set
  ///   back. Old timestamps are kept, because a source may deliver an old measurement.
  /// - Description: control and format characters are removed, and it is truncated to 255 bytes at a character
  ///   boundary. Empty is unknown.
  ///
  /// - Throws: ``FixRejection``.
  public static func location(
    from raw: Location, receivedAt: BootInstant, wallClock: Timestamp, sequence: UInt64 = 0, isSimulated: Bool = false
  ) throws(FixRejection) -> Location {
    guard raw.latitude.isFinite, raw.longitude.isFinite else { throw .notFinite }
    guard abs(raw.latitude) <= 90, abs(raw.longitude) <= 180 else { throw .outOfRange }
    let accuracy = known(raw.accuracy, within: 0...largestAccuracy)
    let isSatelliteFix = accuracy.map { $0 <= coarsestSatelliteAccuracy }
    if nowhere.contains(raw.latitude), nowhere.contains(raw.longitude), isSatelliteFix != true { throw .notMeasured }
    if raw.isAtZero, accuracy.map({ $0 >= accuracyWithoutFix }) ?? true { throw .notMeasured }

    let motion = motion(of: raw, isSatelliteFix: isSatelliteFix)
    var location = Location(
      latitude: raw.latitude, longitude: raw.longitude, accuracy: accuracy,
      altitude: known(raw.altitude, within: altitudes), speed: motion.speed, heading: motion.heading,
      sourceDescription: plainText(raw.sourceDescription), timestamp: credible(raw, at: wallClock),
      receivedAt: receivedAt, sequence: sequence, isSimulated: isSimulated, source: raw.source)
    if raw.timestamp > location.timestamp { location.futureTime = raw.timestamp }
    return location
  }

  private static func known(_ number: Double?, within range: ClosedRange<Double>) -> Double? {
    // Comparisons with NaN are false. Adding 0 turns -0 into 0.
    number.flatMap { range.contains($0) ? $0 + 0 : nil }
  }

  private static func motion(of raw: Location, isSatelliteFix: Bool?) -> (speed: Double?, heading: Double?) {
    // An unknown accuracy does not contradict the speed: a receiver's RMC sentence contains speed but no accuracy.
    if let speed = raw.speed, speed >= 0, speed > fastestSpeed || isSatelliteFix == false { return (nil, nil) }
    let heading = known(raw.heading, within: -360...720).flatMap { $0 == -1 ? nil : Angle.wrapped($0) }
    return (known(raw.speed, within: 0...fastestSpeed), heading)
  }

  private static func credible(_ raw: Location, at wallClock: Timestamp) -> Timestamp {
    let isUnset = raw.timestamp == Timestamp()
    let isAhead = raw.timestamp - wallClock > (raw.isAsserted ? .seconds(1) : clockSkew)
    return isUnset || isAhead ? wallClock : raw.timestamp
  }

  private static func plainText(_ text: String?) -> String? {
    guard let text else { return nil }
    var plain = ""
    // Twice the limit is enough to examine, which bounds the work for a text of megabytes.
    for character in text.prefix(2 * longestDescription) {
      let kept = String(character).printable
      guard plain.utf8.count + kept.utf8.count <= longestDescription else { break }
      plain += kept
    }
    return plain.allSatisfy(\.isWhitespace) ? nil : plain
  }
}

extension Unicode.Scalar {
  /// Whether the character is printable on one line of a log or terminal. Excludes control and format characters (such
  /// as those that reverse the writing direction), line separators and unassigned characters.
  public var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }
}

extension String {
  /// The text without unprintable characters, so that it cannot control a terminal or forge a line of a log.
  public var printable: String { String(String.UnicodeScalarView(unicodeScalars.filter(\.isPrintable))) }

  /// The text for use between apostrophes. Apostrophes, backslashes and unprintable characters are escaped.
  public var escapedForQuotes: String {
    var result = ""
    for scalar in unicodeScalars {
      if scalar == "'" || scalar == "\\" {
        result += "\\\(scalar)"
      } else if scalar.isPrintable {
        result.unicodeScalars.append(scalar)
      } else {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return result
  }
}
