// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@Suite struct LocationTests {
  @Test func `absent values are nil`() {
    let location = Location(latitude: 52, longitude: 13)
    #expect(location.accuracy == nil && location.altitude == nil)
    #expect(location.speed == nil && location.heading == nil && location.sourceDescription == nil)
    #expect(!location.isSimulated)
  }

  @Test func `interpolating a location into a string reveals no coordinate`() {
    let location = Location(latitude: 52.123456, longitude: -13.654321, altitude: 98765, sequence: 7)
    for text in ["\(location)", "\(Optional(location) as Any)", String(reflecting: location), "\([location])"] {
      #expect(text.contains("sequence: 7"))
      #expect(!text.contains("52") && !text.contains("13") && !text.contains("98765"))
    }
  }
}

@Suite struct GreatCircleTests {
  /// A quarter of the great circle on the mean sphere, metres.
  static let quarter = 6_371_008.8 * Double.pi / 2

  static func at(_ latitude: Double, _ longitude: Double) -> Location {
    Location(latitude: latitude, longitude: longitude)
  }

  @Test(
    arguments: [
      ("the same place", at(52, 13), at(52, 13), 0, 0),
      ("a degree of the equator", at(0, 0), at(0, 1), quarter / 90, 1e-6),
      ("a degree of a meridian", at(10, 20), at(11, 20), quarter / 90, 1e-6),
      ("a millimetre north", at(45, 7), at(45 + 9e-9, 7), 0.001, 1e-6),
      ("across the antimeridian", at(0, 179.5), at(0, -179.5), quarter / 90, 1e-6),
      ("180 is -180", at(10, 180), at(10, -180), 0, 1e-6),
      ("pole to pole", at(90, 0), at(-90, 77), 2 * quarter, 1e-6),
      ("all longitudes are one at the pole", at(90, 12), at(90, -140), 0, 1e-6),
      ("over the pole", at(89.5, 0), at(89.5, 180), quarter / 90, 1e-6),
      ("antipodes", at(30, 40), at(-30, -140), 2 * quarter, 1e-6),
      ("a metre from the antipodes", at(0, 0), at(0, 180 - 1 / (quarter / 90)), 2 * quarter - 1, 1e-6),
      ("from pole to equator", at(90, 0), at(0, 123), quarter, 1e-6),
      ("by the law of cosines", at(52.52, 13.405), at(48.8566, 2.3522), 877_464.538, 0.001),
    ] as [(String, Location, Location, Double, Double)])
  func `distances are correct everywhere`(_: String, a: Location, b: Location, metres: Double, tolerance: Double) {
    #expect(abs(a.distance(to: b) - metres) <= tolerance)
    #expect(abs(b.distance(to: a) - metres) <= tolerance)
  }

  @Test func `the steps of a walk add up to its length`() {
    let (start, end) = (Self.at(60, 24), Self.at(60.01, 24))
    let steps = (0...1000).map { Self.at(60 + 0.01 * Double($0) / 1000, 24) }
    let sum = zip(steps, steps.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
    #expect(abs(sum - start.distance(to: end)) < 1e-6)
  }

  @Test func `NaN passes no distance threshold`() {
    let distance = Self.at(.nan, 0).distance(to: Self.at(0, 0))
    #expect(!(distance >= 0))
  }
}

@Suite struct TimestampTests {
  @Test(
    arguments: [
      (seconds: 0, microseconds: 0, expected: (0, 0)),
      (seconds: 1, microseconds: 999_999, expected: (1, 999_999)),
      (seconds: 1, microseconds: 1_000_000, expected: (2, 0)),
      (seconds: 1, microseconds: 3_500_000, expected: (4, 500_000)),
      (seconds: .max, microseconds: 999_999, expected: (.max, 999_999)),
      (seconds: .max, microseconds: 1_000_000, expected: (.max, 999_999)),
      (seconds: 0, microseconds: .max, expected: (18_446_744_073_709, 551_615)),
    ] as [(seconds: UInt64, microseconds: UInt64, expected: (UInt64, UInt64))])
  func `whole seconds are carried over, without overflow`(
    seconds: UInt64, microseconds: UInt64, expected: (UInt64, UInt64)
  ) {
    let timestamp = Timestamp(seconds: seconds, microseconds: microseconds)
    #expect((timestamp.seconds, timestamp.microseconds) == expected)
  }

  @Test(
    arguments: [
      (Timestamp(seconds: 1, microseconds: 5), 1_000_005),
      (Timestamp(seconds: 18_446_744_073_709, microseconds: 551_615), .max),
      (Timestamp(seconds: 18_446_744_073_709, microseconds: 551_616), .max),
      (Timestamp(seconds: .max), .max),
    ] as [(Timestamp, UInt64)])
  func `microseconds since 1970 saturate`(timestamp: Timestamp, expected: UInt64) {
    #expect(timestamp.microsecondsSinceEpoch == expected)
  }

  @Test(arguments: [0, 1, 999_999, 1_000_000, 1_763_704_000_123_456, .max] as [UInt64])
  func `microseconds since 1970 convert back`(microseconds: UInt64) {
    #expect(Timestamp(microsecondsSinceEpoch: microseconds).microsecondsSinceEpoch == microseconds)
  }

  @Test func `a difference has a sign and stays in range`() {
    let (early, late) = (Timestamp(seconds: 10, microseconds: 900_000), Timestamp(seconds: 12))
    #expect(late.microseconds(since: early) == 1_100_000)
    #expect(early.microseconds(since: late) == -1_100_000)
    #expect(early.microseconds(since: early) == 0)
    #expect(Timestamp(seconds: .max).microseconds(since: Timestamp()) == .max)
    #expect(Timestamp().microseconds(since: Timestamp(seconds: .max)) == -.max)
  }

  @Test func `earlier is less`() {
    let sorted = [
      Timestamp(), Timestamp(microseconds: 1), Timestamp(seconds: 1), Timestamp(seconds: 1, microseconds: 1),
    ]
    #expect(sorted.reversed().sorted() == sorted)
    #expect(Timestamp(seconds: 1) == Timestamp(microseconds: 1_000_000))
  }
}

@Suite struct PlainTextTests {
  @Test(arguments: [
    ("org.example.App", true), ("Käse 日本 👋🏽", true), ("it's", true), ("", true), ("a\nb", false), ("a\u{7f}", false),
    ("a\u{200b}b", false), ("\u{202e}evil", false), ("a\u{2028}b", false), ("a\u{2029}b", false), ("\u{e000}", false),
    ("\u{feff}", false), ("\u{378}", false),
  ])
  func `text that does not show as it is, is not plain`(_ text: String, _ isPlain: Bool) {
    #expect(text.unicodeScalars.allSatisfy(\.isPrintable) == isPlain)
  }

  @Test func `between apostrophes nothing can look like the end`() {
    #expect("a', status 'b".escapedForQuotes == "a\\', status \\'b")
    #expect("a\\'".escapedForQuotes == "a\\\\\\'")
    #expect("a\u{2028}b\n".escapedForQuotes == "a\\u{2028}b\\u{a}")
    #expect("'\u{301}".escapedForQuotes == "\\'\u{301}")
  }
}
