// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@Suite struct LocationTests {
  @Test func `optional values of a location are nil by default`() {
    let location = Location(latitude: 52, longitude: 13)
    #expect(location.accuracy == nil && location.altitude == nil)
    #expect(location.speed == nil && location.heading == nil && location.sourceDescription == nil)
    #expect(!location.isSimulated)
  }

  @Test func `a location that is interpolated into a string reveals no coordinate`() {
    let location = Location(latitude: 52.123456, longitude: -13.654321, altitude: 98765, sequence: 7)
    for text in ["\(location)", "\(Optional(location) as Any)", String(reflecting: location), "\([location])"] {
      #expect(text.contains("sequence: 7"))
      #expect(!text.contains("52") && !text.contains("13") && !text.contains("98765"))
    }
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
  func `microseconds beyond a second are carried over to the seconds without overflow`(
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
  func `a timestamp in microseconds since 1970 does not overflow`(timestamp: Timestamp, expected: UInt64) {
    #expect(timestamp.microsecondsSinceEpoch == expected)
  }

  @Test(arguments: [0, 1, 999_999, 1_000_000, 1_763_704_000_123_456, .max] as [UInt64])
  func `a timestamp made from microseconds since 1970 converts back to the same number`(microseconds: UInt64) {
    #expect(Timestamp(microsecondsSinceEpoch: microseconds).microsecondsSinceEpoch == microseconds)
  }

  @Test func `the difference of two timestamps may be negative and does not overflow`() {
    let (early, late) = (Timestamp(seconds: 10, microseconds: 900_000), Timestamp(seconds: 12))
    #expect(late - early == .microseconds(1_100_000))
    #expect(early - late == .microseconds(-1_100_000))
    #expect(early - early == .zero)
    #expect(Timestamp(seconds: .max) - Timestamp() == .microseconds(UInt64.max))
    #expect(Timestamp() - Timestamp(seconds: .max) == .zero - .microseconds(UInt64.max))
  }

  @Test func `an earlier timestamp is less than a later one`() {
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
  func `a text with control or invisible characters is not printable`(_ text: String, _ isPlain: Bool) {
    #expect(text.unicodeScalars.allSatisfy(\.isPrintable) == isPlain)
  }

  @Test func `an escaped text cannot end its quotation`() {
    #expect("a', status 'b".escapedForQuotes == "a\\', status \\'b")
    #expect("a\\'".escapedForQuotes == "a\\\\\\'")
    #expect("a\u{2028}b\n".escapedForQuotes == "a\\u{2028}b\\u{a}")
    #expect("'\u{301}".escapedForQuotes == "\\'\u{301}")
  }
}
