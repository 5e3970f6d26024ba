// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

@testable import GeopublicistLocationModel

/// Compares with a high-precision almanac (the XEphem library), computed to the second for the same altitudes.
@Suite struct SunDayTests {
  /// A place with its days, each with the times of noon, and of dawn, sunrise, sunset and dusk.
  typealias Place = (
    name: String, latitude: Double, longitude: Double, days: [(date: String, noon: Double, times: [Double?])]
  )

  static let almanac: [Place] = [
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

  @Test(arguments: almanac) func `each time of the sun differs from the published almanac by less than a minute`(
    place: Place
  ) {
    for (date, noon, times) in place.days {
      // Any time from the beginning to the end of the solar day yields the same day.
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

  @Test func `consecutive solar days have no gap at any time of the day`() {
    for hour in stride(from: 0, to: 24, by: 4) {
      let days = Array(SunDay.days(latitude: 52.5, longitude: 13.4, around: 1_718_967_600 + Double(hour) * 3_600))
      #expect(zip(days, days.dropFirst()).allSatisfy { abs($1.noon - $0.noon - 86_400) < 60 })
    }
  }

  @Test func `a polar day and a polar night are recognised`() {
    let june = SunDay(latitude: 78.2, longitude: 15.6, containing: 1_718_967_600)
    let december = SunDay(latitude: 78.2, longitude: 15.6, containing: 1_766_314_800)
    #expect(june.polar == .day && june[.sunset] == nil)
    #expect(december.polar == .night && december[.dawn] == nil)
    #expect(SunDay(latitude: 52.5, longitude: 13.4, containing: 1_718_967_600).polar == nil)
  }

  @Test func `a solar day is also defined at the poles and at the antimeridian`() {
    for (latitude, longitude) in [(90.0, 0.0), (-90, 0), (0, 180), (0, -180)] {
      let day = SunDay(latitude: latitude, longitude: longitude, containing: 1_718_967_600)
      #expect(abs(day.noon - 1_718_967_600) <= 43_300)
    }
    let east = SunDay(latitude: 0, longitude: 180, containing: 1_718_967_600)
    let west = SunDay(latitude: 0, longitude: -180, containing: 1_718_967_600)
    #expect(abs(east.noon - west.noon) < 1)
  }

  /// Reads the table that Tools/sun-table.py computed with XEphem's ephemeris.
  @Test func `times for 500 random places and dates, polar days included, match an ephemeris to 30 seconds`() throws {
    let table = try String(contentsOfFile: Rig.sourceFile("Tests/LocationModelTests/Almanac/sun.txt"), encoding: .utf8)
    let rows = table.split(separator: "\n").map { $0.split(separator: " ").map { Double($0) } }
    #expect(rows.count == 600)
    var (worst, lonely) = ((0.0, 0.0), 0)
    for row in rows {
      let place = try (#require(row[0]), #require(row[1]), #require(row[2]))
      let isPolar = abs(place.0) > 65
      let day = SunDay(latitude: place.0, longitude: place.1, containing: place.2)
      if row.dropFirst(3).allSatisfy({ $0 == nil }) { lonely += 1 }
      for (index, twilight) in Twilight.allCases.enumerated() {
        let found = [day.rise(through: twilight.altitude), day.fall(through: twilight.altitude)]
        for (found, expected) in zip(found, row[(3 + 2 * index)...]) {
          #expect((found == nil) == (expected == nil), "\(place) \(twilight)")
          guard let found, let expected else { continue }
          let error = abs(found - expected)
          worst = isPolar ? (worst.0, max(worst.1, error)) : (max(worst.0, error), worst.1)
        }
      }
    }
    #expect(worst.0 < 30, "the worst is off by \(worst) s")
    // There the sun may move along the horizon.
    #expect(worst.1 < 120 && lonely > 10, "\(worst) \(lonely)")
  }
}
