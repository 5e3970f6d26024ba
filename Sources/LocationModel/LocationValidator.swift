// SPDX-License-Identifier: Apache-2.0
/// Why a raw fix was rejected. The raw values may be logged: they contain no coordinate.
public enum FixRejection: String, Error, CaseIterable, Sendable {
  /// Latitude or longitude is infinite or not a number.
  case notFinite = "not-finite"
  /// Latitude or longitude is out of range.
  case outOfRange = "out-of-range"
  /// It lies at 0,0, like an uninitialized value, and is not a satellite fix.
  case notMeasured = "not-measured"
}

/// Checks the raw values of a source: a location whose place is not credible is refused, and any other value that is
/// not credible becomes unknown.
public enum LocationValidator {
  /// The largest radius that a satellite receiver gives, metres. GeoClue makes at most 300 m of a receiver's dilution
  /// of precision, so a larger one comes from Wi-Fi, cells or the network address, which measure no speed.
  public static let coarsestSatelliteAccuracy = 500.0

  /// The fastest credible speed, metres a second: 1,000 knots, at which export rules make civil receivers stop.
  /// GeoClue computes a missing speed from two fixes, whose sources may disagree by kilometres.
  public static let fastestSpeed = 515.0

  /// How far ahead of the wall clock a fix may have been measured, seconds; more than that and one of the clocks is
  /// wrong.
  public static let clockSkew: UInt64 = 60

  /// Half the way round the Earth, metres: a radius this large says nothing.
  static let largestAccuracy = 20_037_508.0
  static let altitudes = -12_000.0...100_000.0
  /// Within this many degrees of 0,0 something coarse was not measured: it is more than GeoClue's scrambling of up to
  /// 2 km, and much less than the 500 km to the nearest shore, so no access point, cell or network can be there.
  static let nowhere = -0.03...0.03
  static let longestDescription = 255

  /// Returns the checked form of `raw`, which holds the values just as the source gave them, sentinels included.
  ///
  /// - Accuracy: negative, not finite or half the Earth is unknown; 0 is kept, receivers claim it.
  /// - Altitude: outside of -12 to 100 km is unknown.
  /// - Speed: negative, faster than ``fastestSpeed``, or beside an accuracy that no receiver has, is unknown; then the
  ///   heading, which GeoClue computes from the same two fixes, is unknown as well.
  /// - Heading: -1 is unknown, the others are wrapped to 0 up to but not including 360.
  /// - 0,0 and its neighbourhood: refused unless the accuracy is a satellite receiver's, because only one of those can
  ///   be out there.
  /// - Timestamp: of 0, or more than ``clockSkew`` ahead of `wallClock`, is replaced by `wallClock`. An old one is kept:
  ///   a source may hand over what it measured long ago.
  /// - Description: without control and format characters, at most 255 bytes of whole characters; empty is unknown.
  ///
  /// - Parameters:
  ///   - raw: the values as the source gave them.
  ///   - receivedAt: `CLOCK_BOOTTIME` in microseconds.
  ///   - wallClock: the time now.
  ///   - sequence: the number of the location, which grows with each new one.
  ///   - isSimulated: whether the location was not measured.
  /// - Throws: ``FixRejection``.
  public static func location(
    from raw: Location, receivedAt: UInt64, wallClock: Timestamp, sequence: UInt64 = 0, isSimulated: Bool = false
  ) throws(FixRejection) -> Location {
    guard raw.latitude.isFinite, raw.longitude.isFinite else { throw .notFinite }
    guard abs(raw.latitude) <= 90, abs(raw.longitude) <= 180 else { throw .outOfRange }
    let accuracy = known(raw.accuracy, within: 0...largestAccuracy)
    let isSatelliteFix = accuracy.map { $0 <= coarsestSatelliteAccuracy }
    if nowhere.contains(raw.latitude), nowhere.contains(raw.longitude), isSatelliteFix != true { throw .notMeasured }

    let motion = motion(of: raw, isSatelliteFix: isSatelliteFix)
    return Location(
      latitude: raw.latitude,
      longitude: raw.longitude,
      accuracy: accuracy,
      altitude: known(raw.altitude, within: altitudes),
      speed: motion.speed,
      heading: motion.heading,
      sourceDescription: plainText(raw.sourceDescription),
      timestamp: credible(raw.timestamp, at: wallClock),
      receivedAt: receivedAt,
      sequence: sequence,
      isSimulated: isSimulated,
      source: raw.source)
  }

  private static func known(_ number: Double?, within range: ClosedRange<Double>) -> Double? {
    // Comparisons with NaN are false; adding 0 makes 0 of -0.
    number.flatMap { range.contains($0) ? $0 + 0 : nil }
  }

  private static func motion(of raw: Location, isSatelliteFix: Bool?) -> (speed: Double?, heading: Double?) {
    // Unknown accuracy is no argument against the speed: a receiver's RMC sentence has this without that.
    if let speed = raw.speed, speed >= 0, speed > fastestSpeed || isSatelliteFix == false { return (nil, nil) }
    let heading = known(raw.heading, within: -360...720).flatMap { $0 == -1 ? nil : Angle.wrapped($0) }
    return (known(raw.speed, within: 0...fastestSpeed), heading)
  }

  private static func credible(_ timestamp: Timestamp, at wallClock: Timestamp) -> Timestamp {
    let isUnset = timestamp == Timestamp()
    let isAhead = timestamp.microseconds(since: wallClock) > Int64(clockSkew) * 1_000_000
    return isUnset || isAhead ? wallClock : timestamp
  }

  private static func plainText(_ text: String?) -> String? {
    guard let text else { return nil }
    var plain = ""
    // Twice the limit is enough to look at: what is dropped does not have to be refilled from a text of megabytes.
    for character in text.prefix(2 * longestDescription) {
      let kept = String(String.UnicodeScalarView(character.unicodeScalars.filter(\.isPrintable)))
      guard plain.utf8.count + kept.utf8.count <= longestDescription else { break }
      plain += kept
    }
    return plain.allSatisfy(\.isWhitespace) ? nil : plain
  }
}
