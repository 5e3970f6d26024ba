// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@testable import geopublicist

/// Times of the sun as `run --at` has them.
@Suite struct SunMomentTests {
  /// Noon of 21 March 2026 in Berlin, in UTC.
  private static let noon = 1_774_090_800.0
  private static let berlin = Location(latitude: 52.5, longitude: 13.4)

  @Test(
    arguments: [
      ("sunset", SunMoment(.sunset)), ("sunset-30min", SunMoment(.sunset, offset: -1_800)),
      ("dawn+1h30m", SunMoment(.dawn, offset: 5_400)), ("noon", SunMoment(.noon)), ("evening", nil), ("sunset-", nil),
      ("sunset-13h", nil), ("sunset-soon", nil), ("+30min", nil), ("", nil),
    ] as [(String, SunMoment?)]) func `a moment is read`(text: String, moment: SunMoment?)
  {
    #expect(SunMoment(text) == moment)
  }

  @Test func `the next moment is the first one after now`() throws {
    let sunset = try #require(SunMoment(.sunset).next(after: Self.noon, at: Self.berlin))
    // 18:24 in Berlin, 17:24 UTC.
    #expect(abs(sunset - (Self.noon + 6.4 * 3_600)) < 900)
    let before = try #require(SunMoment(.sunset, offset: -1_800).next(after: Self.noon, at: Self.berlin))
    #expect(before == sunset - 1_800)
    let next = try #require(SunMoment(.sunset).next(after: sunset, at: Self.berlin))
    #expect(abs(next - sunset - 86_400) < 300)
    let dawn = try #require(SunMoment(.dawn).next(after: Self.noon, at: Self.berlin))
    #expect(dawn > sunset && dawn < sunset + 86_400)
  }

  @Test func `a polar night has no sunrise until it ends`() throws {
    let longyearbyen = Location(latitude: 78.2, longitude: 15.6)
    let midwinter = 1_766_318_400.0
    let sunrise = try #require(SunMoment(.sunrise).next(after: midwinter, at: longyearbyen))
    #expect(sunrise - midwinter > 40 * 86_400)
    #expect(SunMoment(.noon).next(after: midwinter, at: longyearbyen) != nil)
  }

  @Test(arguments: [
    ("home", true), ("mother's", false), ("-home", false), ("sun", false), ("büro_2", true), ("", false),
    ("a b", false),
  ])
  func `names of places are words`(name: String, isGood: Bool) { #expect(Place.isName(name) == isGood) }
}
