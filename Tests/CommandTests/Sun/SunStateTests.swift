// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@testable import geopublicist

/// The phases and the next event that `sun` shows.
@Suite struct SunStateTests {
  /// XEphem's events for the weeks around an equinox near a pole, where the sun's altitude changes only with the
  /// declination: 0.4 degrees a day, so an error of a hundredth of a degree is half an hour.
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
  func `no event of the sun near the poles is omitted`(
    latitude: Double, longitude: Double, start: Double, events: [(SunDay.Event, Double)]
  ) throws {
    var now = start
    for (event, time) in events {
      let next = try #require(SunState(latitude: latitude, longitude: longitude, at: now).next)
      #expect(next.event == event && abs(next.time - time) < 2_400, "\(next) at \(now), not \(event) at \(time)")
      now = next.time
    }
  }

  /// Regression: a timer at the computed time of a sunset, which is a moment early, found that it was still day.
  @Test func `at the time of a change, the new phase has begun`() throws {
    for latitude in [0, 52.5, 65] {
      var now = 1_790_000_000.0
      for _ in 0..<200 {
        let before = SunState(latitude: latitude, longitude: 13.4, at: now)
        let (event, time) = try #require(before.next)
        let after = SunState(latitude: latitude, longitude: 13.4, at: time + 0.002)
        #expect(after.phase != before.phase && after.next?.event != event, "\(event) at \(time)")
        now = time
      }
    }
  }

  /// Regression: in the west, the sunset that had just been handled in the east came again.
  @Test func `each moment happens once a day, also for a machine that travels or has no location`() throws {
    let sunset = try #require(SunMoment("sunset"))
    let dawn = try #require(SunMoment("dawn"))
    var schedule = SunSchedule([sunset, dawn])
    let (berlin, hanover) = (Location(latitude: 52.5, longitude: 13.4), Location(latitude: 52.4, longitude: 9.7))
    // Noon of 21 November 2026.
    var now = 1_795_258_000.0
    schedule.plan(at: berlin, now)
    #expect(schedule.takePassed(at: now).isEmpty)
    now = try #require(schedule.next)
    #expect(abs(now - 1_795_273_528) < 60)
    // One that is imminent is not skipped.
    schedule.plan(at: berlin, now - 0.5)
    #expect(schedule.next == now)
    // The location arrives after the moment, which is not skipped.
    schedule.plan(at: hanover, now + 5)
    #expect(schedule.takePassed(at: now + 10) == [sunset])
    schedule.plan(at: hanover, now + 10)
    #expect(schedule.takePassed(at: now + 3_600).isEmpty)
    // Without another location, the next ones are those of the last place.
    let next = try #require(schedule.next)
    #expect((50_000..<56_000).contains(next - now))
    #expect(schedule.takePassed(at: next) == [dawn])
    schedule.plan(at: hanover, next)
    #expect((85_000..<88_000).contains(try #require(schedule.next) - now))
  }

  /// Regression: the dusk of the day before came last.
  @Test func `moments that passed during a sleep come in the order of their times`() {
    let events = SunMoment.Event.allCases.map { SunMoment($0) }
    var schedule = SunSchedule(events)
    // 14:00 in Berlin on 21 November 2026, and 9:00 on the next day.
    schedule.plan(at: Location(latitude: 52.5, longitude: 13.4), 1_795_266_000)
    let passed = schedule.takePassed(at: 1_795_266_000 + 19 * 3_600)
    #expect(passed.map(\.event) == [.sunset, .dusk, .dawn, .sunrise])
  }

  @Test func `the phase and the next event of the sun are computed for Berlin`() {
    // Berlin on 21 November 2026.
    let times = [1_795_240_776.0, 1_795_243_110, 1_795_273_528, 1_795_275_860]
    func state(_ seconds: Double) -> SunState { SunState(latitude: 52.52, longitude: 13.405, at: seconds) }
    #expect(state(times[0] - 120).phase == .night)
    #expect(state(times[0] - 120).next?.event == .dawn)
    #expect(state(times[0] + 120).phase == .dawn)
    #expect(state(times[1] + 120).phase == .day)
    #expect(state(times[1] + 120).next?.event == .sunset)
    #expect(state(times[2] + 120).phase == .dusk)
    #expect(state(times[3] + 120).phase == .night)
    #expect(state(times[3] + 120).next?.event == .dawn)
  }

  @Test func `in the polar night the next event of the sun is weeks away`() throws {
    let state = SunState(latitude: 78.2232, longitude: 15.6267, at: 1_766_314_800)
    let next = try #require(state.next)
    #expect(state.phase == .night)
    #expect(next.event == .dawn)
    #expect(next.time - 1_766_314_800 > 20 * 86_400)
  }
}

/// Times of the sun in the syntax of `run --at`.
@Suite struct SunMomentTests {
  /// Noon of 21 March 2026 in Berlin, in UTC.
  private static let noon = 1_774_090_800.0
  private static let berlin = Location(latitude: 52.5, longitude: 13.4)

  @Test(
    arguments: [
      ("sunset", SunMoment(.sunset)), ("sunset-30min", SunMoment(.sunset, offset: -1_800)),
      ("dawn+1h30m", SunMoment(.dawn, offset: 5_400)), ("noon", SunMoment(.noon)), ("evening", nil), ("sunset-", nil),
      ("sunset-13h", nil), ("sunset-soon", nil), ("+30min", nil), ("", nil),
    ] as [(String, SunMoment?)]) func `a time such as sunset-30min is parsed`(text: String, moment: SunMoment?)
  {
    #expect(SunMoment(text) == moment)
  }

  @Test func `the next time of an event of the sun is later than now`() throws {
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

  @Test func `in the polar night the next sunrise is weeks away`() throws {
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
  func `the name of a place consists of letters, digits, - and _`(name: String, isGood: Bool) {
    #expect(Place.isName(name) == isGood)
  }
}
