// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@testable import geopublicist

/// Compares with an almanac of high precision (the XEphem library), whose seconds are computed for the same altitudes.
@Suite struct SunDayTests {
  /// A place with its days, each with the times of noon, and of dawn, sunrise, sunset and dusk.
  typealias Place = (
    name: String, latitude: Double, longitude: Double, days: [(date: String, noon: Double, times: [Double?])]
  )

  nonisolated static let almanac: [Place] = [
    (
      "Berlin", 52.52, 13.405,
      [
        ("2024-03-20", 1_710_933_222, [1_710_909_246, 1_710_911_288, 1_710_955_218, 1_710_957_267]),
        ("2024-06-21", 1_718_968_098, [1_718_934_778, 1_718_937_792, 1_718_998_402, 1_719_001_416]),
        ("2025-12-21", 1_766_315_073, [1_766_298_801, 1_766_301_302, 1_766_328_843, 1_766_331_344]),
        ("2026-11-21", 1_795_258_334, [1_795_240_776, 1_795_243_110, 1_795_273_528, 1_795_275_860]),
      ]
    ),
    (
      "Quito", -0.1807, -78.4678,
      [
        ("2024-03-20", 1_710_955_267, [1_710_932_232, 1_710_933_472, 1_710_977_061, 1_710_978_301]),
        ("2024-06-21", 1_718_990_150, [1_718_966_996, 1_718_968_349, 1_719_011_952, 1_719_013_304]),
        ("2025-12-21", 1_766_337_130, [1_766_313_933, 1_766_315_286, 1_766_358_974, 1_766_360_326]),
        ("2026-11-21", 1_795_280_387, [1_795_257_235, 1_795_258_555, 1_795_302_219, 1_795_303_540]),
      ]
    ),
    (
      "Tromsø", 69.6492, 18.9553,
      [
        ("2024-03-20", 1_710_931_890, [1_710_906_093, 1_710_909_704, 1_710_954_208, 1_710_957_849]),
        ("2024-06-21", 1_718_966_765, [nil, nil, nil, nil]),
        ("2025-12-21", 1_766_313_740, [1_766_305_885, nil, nil, 1_766_321_595]),
        ("2026-11-21", 1_795_257_002, [1_795_245_275, 1_795_251_982, 1_795_261_970, 1_795_268_673]),
      ]
    ),
    (
      "Auckland", -36.8485, 174.7633,
      [
        ("2024-03-20", 1_710_894_504, [1_710_871_081, 1_710_872_633, 1_710_916_338, 1_710_917_888]),
        ("2024-06-21", 1_718_929_366, [1_718_910_288, 1_718_912_027, 1_718_946_704, 1_718_948_444]),
        ("2025-12-21", 1_766_276_333, [1_766_248_040, 1_766_249_887, 1_766_302_781, 1_766_304_628]),
        ("2026-11-21", 1_795_219_601, [1_795_192_210, 1_795_193_965, 1_795_245_266, 1_795_247_026]),
      ]
    ),
    (
      "Longyearbyen", 78.2232, 15.6267,
      [
        ("2024-03-20", 1_710_932_689, [1_710_903_706, 1_710_910_083, 1_710_955_534, 1_710_962_032]),
        ("2024-06-21", 1_718_967_564, [nil, nil, nil, nil]),
        ("2025-12-21", 1_766_314_539, [nil, nil, nil, nil]),
        ("2026-11-21", 1_795_257_801, [nil, nil, nil, nil]),
      ]
    ),
    (
      "Ushuaia", -54.8019, -68.303,
      [
        ("2024-03-20", 1_710_952_828, [1_710_928_766, 1_710_930_928, 1_710_974_659, 1_710_976_814]),
        ("2024-06-21", 1_718_987_710, [1_718_972_023, 1_718_974_738, 1_719_000_684, 1_719_003_399]),
        ("2025-12-21", 1_766_334_689, [1_766_300_043, 1_766_303_492, 1_766_365_886, 1_766_369_335]),
        ("2026-11-21", 1_795_277_947, [1_795_245_546, 1_795_248_481, 1_795_307_482, 1_795_310_442]),
      ]
    ),
  ]

  @Test(arguments: almanac) func `every event is within a minute of the almanac`(place: Place) {
    for (date, noon, times) in place.days {
      // From one end of the solar day to the other, the same day is found.
      for offset in [-42_000.0, 0, 42_000] {
        let day = SunDay(latitude: place.latitude, longitude: place.longitude, containing: noon + offset)
        #expect(abs(day.noon - noon) < 20, "\(date)")
        for (event, expected) in zip(SunDay.Event.changes, times) {
          let found = day[event]
          #expect((found == nil) == (expected == nil), "\(date) \(event)")
          if let found, let expected { #expect(abs(found - expected) < 60, "\(date) \(event)") }
        }
      }
    }
  }

  /// The events that the same almanac has for weeks around an equinox, where the declination moves the sun more than the
  /// time of day does: 0.4 degrees a day, so that an error of a hundredth of a degree is half an hour.
  @Test(
    arguments: [
      (90, 0, 1_789_430_400, [(.sunset, 1_790_306_372), (.dusk, 1_791_461_039)]),
      (
        89.9, 30, 1_789_430_400,
        [(.sunset, 1_790_284_469), (.sunrise, 1_790_311_535), (.sunset, 1_790_328_444), (.dusk, 1_791_469_315)]
      ),
      (
        89.5, 100, 1_789_430_400,
        [
          (.sunset, 1_790_254_946), (.sunrise, 1_790_289_400), (.sunset, 1_790_331_555), (.sunrise, 1_790_389_534),
          (.sunset, 1_790_405_813), (.dusk, 1_791_381_916), (.dawn, 1_791_407_716), (.dusk, 1_791_458_025),
          (.dawn, 1_791_506_507), (.dusk, 1_791_534_385),
        ]
      ),
      (-90, 0, 1_773_532_800, [(.sunset, 1_774_199_639), (.dusk, 1_775_348_165)]),
      (-89.9, -120, 1_773_532_800, [(.sunset, 1_774_217_965), (.dusk, 1_775_352_148)]),
      (
        88, 15, 1_789_689_600,
        [
          (.sunset, 1_789_936_713), (.sunrise, 1_789_953_786), (.sunset, 1_790_019_245), (.sunrise, 1_790_044_084),
          (.sunset, 1_790_102_517), (.sunrise, 1_790_133_655),
        ]
      ),
    ] as [(Double, Double, Double, [(SunDay.Event, Double)])])
  func `no event is skipped next to the poles`(
    latitude: Double, longitude: Double, start: Double, events: [(SunDay.Event, Double)]
  ) throws {
    var now = start
    for (event, time) in events {
      let next = try #require(SunState(latitude: latitude, longitude: longitude, at: now).next)
      #expect(next.event == event && abs(next.time - time) < 2_400, "\(next) at \(now), not \(event) at \(time)")
      now = next.time
    }
  }

  @Test func `days follow each other without a gap, whatever the hour`() {
    for hour in stride(from: 0, to: 24, by: 4) {
      let days = Array(SunDay.days(latitude: 52.5, longitude: 13.4, around: 1_718_967_600 + Double(hour) * 3_600))
      #expect(zip(days, days.dropFirst()).allSatisfy { abs($1.noon - $0.noon - 86_400) < 60 })
    }
  }

  @Test func `polar day and polar night are distinguished`() {
    let june = SunDay(latitude: 78.2, longitude: 15.6, containing: 1_718_967_600)
    let december = SunDay(latitude: 78.2, longitude: 15.6, containing: 1_766_314_800)
    #expect(june.polar == .day && june[.sunset] == nil)
    #expect(december.polar == .night && december[.dawn] == nil)
    #expect(SunDay(latitude: 52.5, longitude: 13.4, containing: 1_718_967_600).polar == nil)
  }

  @Test func `the poles and the antimeridian have days, too`() {
    for (latitude, longitude) in [(90.0, 0.0), (-90, 0), (0, 180), (0, -180)] {
      let day = SunDay(latitude: latitude, longitude: longitude, containing: 1_718_967_600)
      #expect(abs(day.noon - 1_718_967_600) <= 43_300)
    }
    let east = SunDay(latitude: 0, longitude: 180, containing: 1_718_967_600)
    let west = SunDay(latitude: 0, longitude: -180, containing: 1_718_967_600)
    #expect(abs(east.noon - west.noon) < 1)
  }

  @Test func `the phase follows the events of the day, and the next event is the next one`() {
    let berlin = Self.almanac[0]
    let times = berlin.days[3].times.compactMap(\.self)
    func state(_ seconds: Double) -> SunState {
      SunState(latitude: berlin.latitude, longitude: berlin.longitude, at: seconds)
    }
    #expect(state(times[0] - 120).phase == .night)
    #expect(state(times[0] - 120).next?.event == .dawn)
    #expect(state(times[0] + 120).phase == .dawn)
    #expect(state(times[1] + 120).phase == .day)
    #expect(state(times[1] + 120).next?.event == .sunset)
    #expect(state(times[2] + 120).phase == .dusk)
    #expect(state(times[3] + 120).phase == .night)
    #expect(state(times[3] + 120).next?.event == .dawn)
  }

  @Test func `in a polar night the next event is weeks away`() throws {
    let state = SunState(latitude: 78.2232, longitude: 15.6267, at: 1_766_314_800)
    let next = try #require(state.next)
    #expect(state.phase == .night)
    #expect(next.event == .dawn)
    #expect(next.time - 1_766_314_800 > 20 * 86_400)
  }
}

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
