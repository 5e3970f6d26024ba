// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistSimulatedKernel
import Glibc

/// Compares almanacs with the position of the sun.
extension Checks {
  /// The altitude of the sun's centre in degrees, without refraction, by the low-precision formulae of the Astronomical
  /// Almanac, which are accurate to 0.01 degrees.
  ///
  /// - Parameter time: In seconds since 1970.
  private func altitude(at time: Double) -> Double {
    let (declination, hour) = position(at: time)
    let latitude = world.place(isOther: false) * radians
    return asin(sin(latitude) * sin(declination) + cos(latitude) * cos(declination) * cos(hour)) / radians
  }

  /// The highest and lowest altitudes of the sun's centre on the day of a time, in degrees.
  private func extremes(at time: Double) -> (highest: Double, lowest: Double) {
    let (latitude, declination) = (world.place(isOther: false), position(at: time).declination / radians)
    return (90 - abs(latitude - declination), abs(latitude + declination) - 90)
  }

  /// The declination and the hour angle of the sun at the machine's place, in radians.
  private func position(at time: Double) -> (declination: Double, hour: Double) {
    let days = time / 86_400 - 10_957.5
    let anomaly = (357.528 + 0.985_600_3 * days) * radians
    let longitude = (280.46 + 0.985_647_4 * days + 1.915 * sin(anomaly) + 0.02 * sin(2 * anomaly)) * radians
    let obliquity = (23.439 - 0.000_000_4 * days) * radians
    let ascension = atan2(cos(obliquity) * sin(longitude), cos(longitude))
    let declination = asin(sin(obliquity) * sin(longitude))
    let sidereal = (18.697_374_558 + 24.065_709_824_419_08 * days) * 15
    return (declination, (sidereal + world.home.longitude) * radians - ascension)
  }

  private var radians: Double { .pi / 180 }

  /// A cell and the machine's other place are less than half a degree away, and times are whole minutes.
  private static let tolerance = 0.8
  static let twilights = ["sunset": -0.833, "civil": -6, "nautical": -12, "astronomical": -18]

  private static func seconds(_ value: Value?) -> Double? {
    value?.structure?.first?.uint64.map { Double($0) }
  }

  /// Checks an almanac.
  ///
  /// - Parameters:
  ///   - limit: The sun's altitude at which night begins, in degrees.
  ///   - offsets: By how many seconds day and night begin later.
  func sun(_ almanac: [String: Value], night limit: Double, _ offsets: (day: Int, night: Int), _ client: Client) {
    // No town is near a wrong measurement.
    guard finestLevel(of: client) >= .city, !world.truth.mayKnowOnlyCountry(client.user), almanac["Place"] != nil,
      world.schedule.now - world.clockSetAt > 1_000_000
    else { return }
    let now = Double(kernel_realtime()) / 1_000_000
    let entries = (almanac["Forecast"]?.array ?? []).compactMap { entry in
      entry.structure.map { (phase: $0.first?.string ?? "", start: Self.seconds($0.last) ?? .nan) }
    }
    let story = "\(almanac) at \(now), \(world.home.latitude), \(world.home.longitude)"
    let starts = entries.map(\.start)
    let areOrdered = zip(starts, starts.dropFirst()).allSatisfy { $0 < $1 }
    guard areOrdered, let first = entries.first, first.phase == almanac["Phase"]?.string, first.start < now + 61,
      // Near the polar circle, offsets may leave no phase but one.
      entries.last.map({
        $0.start > now + 5 * 86_400 || $0.phase.hasPrefix("polar")
          || offsets != (0, 0) && abs(world.home.latitude) > 60
      }) ?? false
    else { return broken("an almanac forecasts the next days", story) }
    if entries.dropFirst().first?.start != Self.seconds(almanac["NextTime"]) {
      broken("an almanac forecasts the next days", story)
    }
    if offsets != (0, 0) {
      return shifted(entries, night: limit, offsets, story)
    }
    for (entry, next) in zip(entries, entries.dropFirst()) {
      let (begin, end) = (max(entry.start, now - 60), next.start)
      // The tolerance of the altitude may exceed a shorter phase.
      guard end - begin > 1_200 else { continue }
      for time in [begin + 300, (begin + end) / 2, end - 300] where !isTrue(entry.phase, at: time, night: limit) {
        return broken("the phases of an almanac are those of the sun", "\(entry), \(altitude(at: time)): \(story)")
      }
    }
    for (key, sign) in [("Sunrise", 1.0), ("Sunset", -1)] {
      guard let time = Self.seconds(almanac[key]) else {
        let isPolar = entries.contains { $0.phase.hasPrefix("polar") }
        // Near the polar circle, the phases of a day may be shorter than the tolerance.
        if !isPolar, abs(world.home.latitude) < 60 { broken("an almanac tells sunrise and sunset", story) }
        continue
      }
      let isCrossing = (altitude(at: time + 300) - altitude(at: time - 300)) * sign > 0
      if abs(altitude(at: time) + 0.833) > Self.tolerance || abs(time - now) > 90_000
        || !isCrossing && abs(world.home.latitude) < 60
      {
        broken("an almanac tells sunrise and sunset", "\(key): \(story)")
      }
    }
  }

  /// Checks that each phase begins when the sun was at its limit, before the offset.
  private func shifted(
    _ entries: [(phase: String, start: Double)], night limit: Double, _ offsets: (day: Int, night: Int), _ story: String
  ) {
    // Elsewhere, offsets may join or remove phases.
    guard abs(world.home.latitude) < 60 else { return }
    for (before, entry) in zip(entries, entries.dropFirst()) {
      let boundary: (height: Double, offset: Int)? =
        switch (before.phase, entry.phase) {
        case (_, "day"): (-0.833, offsets.day)
        case ("night", "twilight-morning"): (limit, offsets.day)
        case ("day", "twilight-evening"): (-0.833, offsets.night)
        case (_, "night"): (limit, offsets.night)
        // The sun turns.
        default: nil
        }
      guard let (height, offset) = boundary else { continue }
      guard abs(altitude(at: entry.start - Double(offset)) - height) > Self.tolerance else { continue }
      broken("the offsets of an almanac move its phases", "\(entry): \(story)")
    }
  }

  private func isTrue(_ phase: String, at time: Double, night limit: Double) -> Bool {
    let (height, tolerance) = (altitude(at: time), Self.tolerance)
    let (before, after) = (altitude(at: time - 900), altitude(at: time + 900))
    let (highest, lowest) = extremes(at: time)
    switch phase {
    // The declination changes by up to 0.4 degrees between a time and the noon or midnight of its day.
    case "polar-day" where lowest < -0.833 - tolerance - 0.4, "polar-night" where highest > limit + tolerance + 0.4,
      "day" where lowest > tolerance + 0.4 - 0.833, "night" where highest < limit - tolerance - 0.4:
      return false
    case "day", "polar-day": return height > -0.833 - tolerance
    case "night", "polar-night": return height < limit + tolerance
    case "twilight-morning" where abs(after - before) > 1: return after > before
    case "twilight-evening" where abs(after - before) > 1: return after < before
    case "twilight-morning", "twilight-evening": return (limit - tolerance..<tolerance - 0.833).contains(height)
    default: return false
    }
  }
}
