// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@Suite struct LocationValidatorTests {
  static let now = Timestamp(seconds: 1_800_000_000)
  static let unknown = -Double.greatestFiniteMagnitude

  func location(_ raw: Location) throws -> Location {
    try LocationValidator.location(from: raw, receivedAt: 42, wallClock: Self.now, sequence: 3)
  }

  @Test func `a valid fix is not changed`() throws {
    let measured = Timestamp(seconds: 1_799_999_990, microseconds: 5)
    let raw = Location(
      latitude: 52.5, longitude: 13.4, accuracy: 12, altitude: 34, speed: 1.5, heading: 271,
      sourceDescription: "GPS GGA+RMC", timestamp: measured)
    let expected = Location(
      latitude: 52.5, longitude: 13.4, accuracy: 12, altitude: 34, speed: 1.5, heading: 271,
      sourceDescription: "GPS GGA+RMC", timestamp: measured, receivedAt: 42, sequence: 3, isSimulated: true)
    let result = try LocationValidator.location(
      from: raw, receivedAt: 42, wallClock: Self.now, sequence: 3, isSimulated: true)
    #expect(result == expected)
  }

  @Test(
    arguments: [
      (.nan, 0, .notFinite), (0, .nan, .notFinite), (.infinity, 0, .notFinite), (0, -.infinity, .notFinite),
      (90.000001, 0, .outOfRange), (-91, 0, .outOfRange), (0, 180.000001, .outOfRange), (0, -181, .outOfRange),
      (unknown, 5, .outOfRange), (5, unknown, .outOfRange), (5, 1e300, .outOfRange),
    ] as [(Double, Double, FixRejection)])
  func `impossible coordinates are refused`(latitude: Double, longitude: Double, why: FixRejection) {
    #expect(throws: why) { try location(Location(latitude: latitude, longitude: longitude, accuracy: 5)) }
  }

  @Test(arguments: [(90, 0), (-90, 0), (1, 180), (1, -180), (-90, -180)] as [(Double, Double)])
  func `the poles and the antimeridian are valid`(latitude: Double, longitude: Double) throws {
    let result = try location(Location(latitude: latitude, longitude: longitude))
    #expect(result.latitude == latitude && result.longitude == longitude)
  }

  @Test(
    arguments: [
      (0, 0, -1, true), (0, 0, .nan, true), (0, 0, 25_000, true), (0, 0, 501, true), (-0.0, 0, -1, true),
      (0.018, 0, 28_000, true), (-0.018, 0, -1, true),
      (0, 0, 500, true), (0, 0, 300, true), (0, 0, 100, true), (-0.0, 0, 300, true), (0.000_1, 0, 300, false),
      (0, 0, 99, false), (0, 0, 3, false), (0, 0, 0, false),
      (0, 1, -1, false), (1, 0, 25_000, false), (0.031, 0, -1, false), (51.48, 0, 25_000, false),
    ] as [(Double, Double, Double, Bool)])
  func `coordinates 0,0 that were not measured are refused`(
    latitude: Double, longitude: Double, accuracy: Double, isRefused: Bool
  ) {
    let raw = Location(latitude: latitude, longitude: longitude, accuracy: accuracy)
    if isRefused {
      #expect(throws: FixRejection.notMeasured) { try location(raw) }
    } else {
      #expect(throws: Never.self) { try location(raw) }
    }
  }

  @Test(
    arguments: [
      (0, 0), (12.5, 12.5), (25_000, 25_000), (-1, nil), (-0.001, nil), (unknown, nil), (.nan, nil), (.infinity, nil),
      (.greatestFiniteMagnitude, nil), (20_037_509, nil),
    ] as [(Double, Double?)])
  func `an accuracy of 0 is valid, and a negative accuracy is unknown`(raw: Double, expected: Double?) throws {
    #expect(try location(Location(latitude: 5, longitude: 5, accuracy: raw)).accuracy == expected)
  }

  @Test(
    arguments: [
      (0, 0), (-430, -430), (8848, 8848), (-12_000, -12_000), (100_000, 100_000), (-12_001, nil), (100_001, nil),
      (unknown, nil), (.nan, nil), (.infinity, nil), (-.infinity, nil),
    ] as [(Double, Double?)])
  func `an impossible altitude is unknown`(raw: Double, expected: Double?) throws {
    #expect(try location(Location(latitude: 5, longitude: 5, altitude: raw)).altitude == expected)
  }

  @Test(
    arguments: [
      (speed: 0, accuracy: 5, expected: 0), (speed: 340, accuracy: 5, expected: 340),
      (speed: 515, accuracy: 0, expected: 515), (speed: 515.1, accuracy: 5, expected: nil),
      (speed: 11_000, accuracy: 5, expected: nil), (speed: -1, accuracy: 5, expected: nil),
      (speed: .nan, accuracy: 5, expected: nil), (speed: .infinity, accuracy: 5, expected: nil),
      (speed: unknown, accuracy: 5, expected: nil),
      (speed: 3, accuracy: -1, expected: 3), (speed: 3, accuracy: 500, expected: 3),
      (speed: 3, accuracy: 501, expected: nil), (speed: 400, accuracy: 25_000, expected: nil),
    ] as [(speed: Double, accuracy: Double, expected: Double?)])
  func `a speed that was not measured is unknown`(speed: Double, accuracy: Double, expected: Double?) throws {
    let result = try location(Location(latitude: 5, longitude: 5, accuracy: accuracy, speed: speed))
    #expect(result.speed == expected)
  }

  @Test(
    arguments: [
      (0, 0), (359.9, 359.9), (360, 0), (361, 1), (720, 0), (-90, 270), (-1e-20, 0), (-1, nil), (unknown, nil),
      (.nan, nil), (.infinity, nil), (721, nil), (-0.0, 0),
    ] as [(Double, Double?)])
  func `headings wrap around at 360 degrees`(raw: Double, expected: Double?) throws {
    #expect(try location(Location(latitude: 5, longitude: 5, heading: raw)).heading == expected)
  }

  @Test(
    arguments: [
      (speed: 2, accuracy: 5, expected: 90), (speed: -1, accuracy: 5, expected: 90),
      (speed: -1, accuracy: 2000, expected: 90),  // a compass needs no speed
      (speed: 11_000, accuracy: 5, expected: nil), (speed: 100, accuracy: 2000, expected: nil),
    ] as [(speed: Double, accuracy: Double, expected: Double?)])
  func `a heading is dropped together with an implausible speed`(
    speed: Double, accuracy: Double, expected: Double?
  ) throws {
    let raw = Location(latitude: 5, longitude: 5, accuracy: accuracy, speed: speed, heading: 90)
    #expect(try location(raw).heading == expected)
  }

  @Test(
    arguments: [
      ("now", now, now), ("old", Timestamp(seconds: 1_700_000_000), Timestamp(seconds: 1_700_000_000)),
      ("within the skew", Timestamp(seconds: 1_800_000_060), Timestamp(seconds: 1_800_000_060)),
      ("beyond the skew", Timestamp(seconds: 1_800_000_060, microseconds: 1), now),
      ("absurd", Timestamp(seconds: .max, microseconds: .max), now),
      ("unset", Timestamp(), now),
    ] as [(String, Timestamp, Timestamp)])
  func `a timestamp that is unset or in the future is replaced by the current time`(
    _: String, raw: Timestamp, expected: Timestamp
  ) throws {
    #expect(try location(Location(latitude: 5, longitude: 5, timestamp: raw)).timestamp == expected)
  }

  /// Regression: after the clock was set back by less than the skew, an asserted location hid the next one for 30 s.
  @Test func `an asserted location has no time in the future`() throws {
    for (source, lead, expected) in [
      (.static, 1, 1), (.static, 2, 0), (.ip, 45, 0), (.gnss, 45, 45), (.unknown, 45, 45),
    ] as [(SourceKind, UInt64, UInt64)] {
      let raw = Timestamp(seconds: Self.now.seconds + lead)
      var asserted = Location(latitude: 5, longitude: 5, accuracy: 10, timestamp: raw)
      asserted.source = source
      let found = try location(asserted)
      #expect(found.timestamp.seconds == Self.now.seconds + expected, "\(source) \(lead)")
      #expect(found.reportedTime == raw)
    }
  }

  @Test(
    arguments: [
      ("", nil), ("   ", nil), ("\n\t\0\u{7f}\u{9b}", nil), ("WiFi", "WiFi"), ("3GPP + WiFi", "3GPP + WiFi"),
      ("GPS\r\nGGA", "GPSGGA"), ("\u{1b}[31mred", "[31mred"), ("a\u{202e}b\u{2028}c", "abc"), ("Käse 🧭", "Käse 🧭"),
      (String(repeating: "x", count: 255), String(repeating: "x", count: 255)),
      (String(repeating: "x", count: 256), String(repeating: "x", count: 255)),
      // 85 of these have 255 bytes, and a character is never cut.
      (String(repeating: "€", count: 90), String(repeating: "€", count: 85)),
      (String(repeating: "ü", count: 200), String(repeating: "ü", count: 127)),
    ] as [(String, String?)])
  func `a description is cut to 255 bytes of printable text`(raw: String, expected: String?) throws {
    #expect(try location(Location(latitude: 5, longitude: 5, sourceDescription: raw)).sourceDescription == expected)
  }
}
