// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import Testing

@testable import GeopublicistLocationModel

@Suite struct DayForecastTests {
  /// Noon of 21 June 2026 and 21 December 2026 in UTC.
  private static let june: Int64 = 1_782_043_200
  private static let december: Int64 = 1_797_854_400

  private func forecast(
    _ latitude: Double, _ longitude: Double, _ now: Int64, _ twilight: Twilight = .civil, day: Int = 0, night: Int = 0
  ) -> DayForecast {
    var options = AlmanacOptions()
    (options.twilight, options.dayOffset, options.nightOffset) = (twilight, day, night)
    return DayForecast(latitude: latitude, longitude: longitude, at: now, options)
  }

  /// Uses samples instead of a search, because the phase at any time follows from the altitude alone.
  private func isPlausible(
    _ phase: DayPhase, _ latitude: Double, _ longitude: Double, at time: Int64, _ twilight: Twilight
  ) -> Bool {
    let path = SunPath(latitude: latitude, longitude: longitude, around: Double(time))
    func altitude(_ offset: Double) -> Double { path.altitude(Double(time) + offset) }
    let (now, isRising) = (altitude(0), altitude(30) > altitude(-30))
    // A day next to a polar day also has a highest and a lowest point.
    return switch phase {
    case .day: now > Twilight.sunset.altitude
    case .polarDay: stride(from: -36_000.0, to: 36_000, by: 3_600).allSatisfy { altitude($0) > -12 } && now > -0.84
    case .night: now <= twilight.altitude
    case .polarNight: now <= twilight.altitude
    case .twilightMorning: isRising && now > twilight.altitude && now <= Twilight.sunset.altitude
    case .twilightEvening: !isRising && now > twilight.altitude && now <= Twilight.sunset.altitude
    }
  }

  @Test func `at any place, each phase of a forecast lasts until the next one begins`() throws {
    var random = SeededGenerator(seed: 32)
    for _ in 0..<400 {
      let (latitude, longitude) = (
        Double.random(in: -90...90, using: &random), Double.random(in: -180...180, using: &random)
      )
      let now = Int64.random(in: -631_152_000...4_102_444_800, using: &random)
      let twilight = try #require(Twilight.allCases.randomElement(using: &random))
      let forecast = forecast(latitude, longitude, now, twilight)
      let ends = forecast.entries.dropFirst().map(\.start) + [now + DayForecast.length]
      for (entry, end) in zip(forecast.entries, ends) {
        // Rounding moves a boundary by half a minute.
        let (first, last) = (max(entry.start, now - 86_400) + 60, end - 60)
        guard first < last else { continue }
        for time in [first, (first + last) / 2, last] {
          #expect(
            isPlausible(entry.phase, latitude, longitude, at: time, twilight),
            "\(entry) \(latitude) \(longitude) \(time) \(twilight)")
        }
      }
    }
  }

  @Test func `with any offsets, the entries of a forecast are whole minutes in order`() throws {
    var random = SeededGenerator(seed: 33)
    for _ in 0..<400 {
      let (latitude, longitude) = (
        Double.random(in: -90...90, using: &random), Double.random(in: -180...180, using: &random)
      )
      let now = Int64.random(in: 0...4_102_444_800, using: &random)
      let offsets = (Int.random(in: -21_600...21_600, using: &random), Int.random(in: -21_600...21_600, using: &random))
      let twilight = try #require(Twilight.allCases.randomElement(using: &random))
      let entries = forecast(latitude, longitude, now, twilight, day: offsets.0, night: offsets.1).entries
      let first = try #require(entries.first)
      #expect(first.start <= now && now - first.start < 4 * 86_400)
      #expect(entries.allSatisfy { $0.start % 60 == 0 && $0.start < now + DayForecast.length })
      for (entry, next) in zip(entries, entries.dropFirst()) {
        #expect(entry.start < next.start && next.start > now && entry.phase != next.phase)
      }
    }
  }

  @Test func `an ordinary day has four phases`() {
    let berlin = forecast(52.52, 13.405, 1_795_258_334)
    #expect(berlin.entries.prefix(5).map(\.phase) == [.day, .twilightEvening, .night, .twilightMorning, .day])
    #expect(berlin.next == DayForecast.Entry(phase: .twilightEvening, start: 1_795_273_500))
    #expect(berlin.sunset == 1_795_273_500)
    #expect(berlin.sunrise.map { abs($0 - 1_795_243_110) <= 45 } == true)
    #expect(berlin.entries.count == 29)
  }

  @Test func `if night begins at sunset, there is no twilight`() {
    let phases = Set(forecast(52.52, 13.405, Self.june, .sunset).entries.map(\.phase))
    #expect(phases == [.day, .night])
  }

  @Test func `in midsummer the evening ends and the morning begins at the sun's lowest point`() throws {
    let entries = forecast(52.52, 13.405, Self.june, .astronomical).entries
    #expect(entries.prefix(4).map(\.phase) == [.day, .twilightEvening, .twilightMorning, .day])
    // The sun is due north at 01:08 summer time.
    #expect(abs(entries[2].start - 1_782_083_300) < 180)
    #expect(forecast(52.52, 13.405, Self.june, .nautical).entries[2].phase == .night)
  }

  @Test func `in midwinter the morning ends and the evening begins at the sun's highest point`() throws {
    let entries = forecast(70, 20, Self.december).entries
    let morning = try #require(entries.firstIndex { $0.phase == .twilightMorning })
    #expect(entries[morning...].prefix(3).map(\.phase) == [.twilightMorning, .twilightEvening, .night])
    #expect(forecast(70, 20, Self.december).sunrise == nil)
  }

  @Test func `a forecast for a polar day or a polar night contains a single phase`() {
    for (latitude, now, phase) in [
      (78.2, Self.june, DayPhase.polarDay), (78.2, Self.december, .polarNight), (-78.2, Self.december, .polarDay),
      (90, Self.june, .polarDay), (-90, Self.june, .polarNight),
    ] {
      let forecast = forecast(latitude, 15.6, now)
      #expect(forecast.entries.map(\.phase) == [phase] && forecast.next == nil)
      #expect(forecast.sunrise == nil && forecast.sunset == nil)
    }
    // Regression: the ends of two days, which are computed separately, are almost a second apart and on both sides of a
    // minute.
    for (latitude, longitude, now): (Double, Double, Int64) in [
      (70.1, 122.8, 1_781_222_400), (70.1, 123.8, 1_781_049_600), (78.2, -83.6, 1_783_382_400),
    ] {
      #expect(forecast(latitude, longitude, now).entries.map(\.phase) == [.polarDay])
    }
    // The same winter day has twilights if night begins later.
    #expect(forecast(78.2, 15.6, Self.december, .astronomical).entries.count > 1)
  }

  @Test func `a polar day begins with the first solar day without a sunset`() throws {
    // Longyearbyen, where one sunset is in the night of 18 April and the next on 24 August.
    let spring = forecast(78.22, 15.63, 1_776_427_200)
    #expect(spring.entries.last?.phase == .polarDay)
    let before = try #require(spring.entries.dropLast().last)
    #expect(before.phase == .day)
    let autumn = forecast(78.22, 15.63, 1_787_400_000)
    #expect(autumn.entries.prefix(2).map(\.phase) == [.polarDay, .day])
    #expect(autumn.entries.contains { $0.phase == .twilightEvening })
  }

  @Test func `at a pole the sun rises only in spring and sets only in autumn`() {
    // The starts are a fortnight and a week before the events of 2026.
    func phases(_ latitude: Double, _ days: ClosedRange<Int64>, from start: Int64) -> [DayPhase] {
      var phases: [DayPhase] = []
      for day in days {
        let phase = forecast(latitude, 0, start + day * 86_400).phase
        if phase != phases.last { phases.append(phase) }
      }
      return phases
    }
    let spring = phases(90, 0...45, from: 1_772_323_200).filter { $0 != .night && $0 != .day }
    #expect(spring == [.polarNight, .twilightMorning, .polarDay])
    let autumn = phases(90, 0...60, from: 1_788_220_800).filter { $0 != .night && $0 != .day }
    #expect(autumn == [.polarDay, .twilightEvening, .polarNight])
    #expect(phases(-90, 0...45, from: 1_772_323_200).filter { $0 != .night && $0 != .day } == autumn)
  }

  @Test func `forecasts on both sides of the date line are equal`() {
    let (east, west) = (forecast(-17, 179.999, Self.june), forecast(-17, -179.999, Self.june))
    #expect(!east.differs(from: west) && forecast(-17, 180, Self.june) == forecast(-17, -180, Self.june))
    // A degree and a half is six minutes.
    #expect(east.differs(from: forecast(-17, 178.4, Self.june)))
    #expect(!east.differs(from: forecast(-17, 179, Self.june)))
  }

  @Test func `after the clock is set back, the forecast begins at the new time`() throws {
    let earlier = forecast(52.52, 13.405, Self.june - 86_400)
    let first = try #require(earlier.entries.first)
    let next = try #require(earlier.next)
    #expect(first.start <= Self.june - 86_400 && next.start > Self.june - 86_400 && next.start < Self.june)
  }

  @Test func `the day offset moves the morning, and the night offset moves the evening`() {
    let (plain, moved) = (
      forecast(52.52, 13.405, Self.june), forecast(52.52, 13.405, Self.june, day: 600, night: -1_800)
    )
    #expect(plain.entries.count == moved.entries.count)
    for (before, after) in zip(plain.entries, moved.entries).dropFirst() {
      let isMorning = before.phase == .day || before.phase == .twilightMorning
      #expect(after.phase == before.phase && after.start - before.start == (isMorning ? 600 : -1_800))
    }
    #expect(plain.sunset == moved.sunset)
  }

  @Test func `a phase whose length an offset reduces to zero is omitted`() {
    // A night of five and a half hours, from 22:24 to 3:53 in summer time.
    let entries = forecast(52.52, 13.405, Self.june, .civil, day: -10_800, night: 10_800).entries
    #expect(entries.prefix(4).map(\.phase) == [.day, .twilightEvening, .twilightMorning, .day])
    #expect(Set(forecast(52.52, 13.405, Self.june, .civil, day: -21_600, night: 21_600).entries.map(\.phase)) == [.day])
    // A December day of two hours, whose beginning is moved to its end.
    let dark = forecast(65.5, 20, Self.december, .civil, day: 7_200, night: -7_200).entries
    #expect(!dark.contains { $0.phase == .day })
  }
}
