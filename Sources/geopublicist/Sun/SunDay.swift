// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The sun over one solar day: its way up to the highest point of the day, and down again. Times are seconds since 1970.
nonisolated struct SunDay: Equatable {
  /// Why a day has neither sunrise nor sunset.
  enum Polar: String {
    /// The sun stays above the horizon.
    case day
    /// The sun stays below the horizon.
    case night
  }

  /// The events of a day, in their usual order.
  enum Event: String, CaseIterable {
    case dawn, sunrise, noon, sunset, dusk

    /// The events at which the phase changes.
    static let changes = [dawn, sunrise, sunset, dusk]

    /// The altitude of the sun's centre in degrees: refraction and half the disc for sunrise and sunset, civil twilight
    /// for dawn and dusk; nil for noon.
    var altitude: Double? {
      switch self {
      case .sunrise, .sunset: -50.0 / 60
      case .dawn, .dusk: -6
      case .noon: nil
      }
    }
  }

  /// Polar day or night; nil on a day with a sunrise or a sunset.
  let polar: Polar?
  /// When the sun crosses the meridian.
  let noon: Double
  private let times: [Event: Double]

  /// Returns the time of an event; nil if it does not happen on this day.
  subscript(event: Event) -> Double? { times[event] }

  /// Computes the solar day, from midnight to midnight, that contains a moment.
  init(latitude: Double, longitude: Double, containing seconds: Double) {
    let sun = SunPath(latitude: latitude, longitude: longitude)
    let noon = sun.noon(near: seconds)
    let quarter = 21_600.0
    // Next to the poles the declination moves the highest and the lowest point by hours. Between these points the sun
    // only rises or only sets, so that no event is missed, and the ends of two neighbouring days meet.
    let lowest = sun.turn(from: sun.noon(near: noon - 86_400) + quarter, to: noon - quarter, risesAtFirst: false)
    let highest = sun.turn(from: noon - quarter, to: noon + quarter, risesAtFirst: true)
    let end = sun.turn(from: noon + quarter, to: sun.noon(near: noon + 86_400) - quarter, risesAtFirst: false)

    var times = [Event.noon: noon]
    for event in [Event.dawn, .sunrise] {
      times[event] = event.altitude.flatMap { sun.crossing(of: $0, below: lowest, above: highest) }
    }
    for event in [Event.sunset, .dusk] {
      times[event] = event.altitude.flatMap { sun.crossing(of: $0, below: end, above: highest) }
    }
    let horizon = times[.sunrise] == nil && times[.sunset] == nil ? Event.sunrise.altitude : nil
    polar = horizon.map { sun.altitude(noon) > $0 ? .day : .night }
    self.noon = noon
    self.times = times
  }

  /// Returns the solar days from the one before a moment until a year later.
  static func days(latitude: Double, longitude: Double, around seconds: Double) -> some Sequence<SunDay> {
    // Solar days differ by up to half a minute from 24 hours: steps from noon to noon meet each of them once.
    let noon = SunPath(latitude: latitude, longitude: longitude).noon(near: seconds)
    return (-1...366).lazy.map {
      SunDay(latitude: latitude, longitude: longitude, containing: noon + Double($0) * 86_400)
    }
  }
}

/// The sun's altitude at a place over time.
private nonisolated struct SunPath {
  let latitude: Double
  let longitude: Double

  func altitude(_ time: Double) -> Double { position(time).altitude }

  /// Returns the noon that is less than half a day away.
  func noon(near seconds: Double) -> Double {
    var noon = seconds
    // A degree takes four minutes, and the equation of time changes by less than half a minute a day.
    for _ in 0..<5 { noon -= position(noon).hourAngle * 240 }
    return noon
  }

  /// Returns when the sun turns from rising to setting or back; an end of the time given if it does not turn in between.
  func turn(from start: Double, to end: Double, risesAtFirst: Bool) -> Double {
    var (start, end) = (start, end)
    while end - start > 1 {
      let middle = (start + end) / 2
      let isRising = altitude(middle + 30) > altitude(middle - 30)
      if isRising == risesAtFirst { start = middle } else { end = middle }
    }
    return (start + end) / 2
  }

  /// Returns when the sun crosses an altitude between two times; nil if it does not.
  func crossing(of altitude: Double, below: Double, above: Double) -> Double? {
    guard self.altitude(below) <= altitude, self.altitude(above) > altitude else { return nil }
    var (below, above) = (below, above)
    while abs(above - below) > 0.1 {
      let middle = (above + below) / 2
      if self.altitude(middle) > altitude { above = middle } else { below = middle }
    }
    return above
  }

  private func position(_ time: Double) -> SolarPosition {
    SolarPosition(latitude: latitude, longitude: longitude, at: time)
  }
}

/// The position of the sun, to about a hundredth of a degree from 1950 to 2050.
///
/// Computed by the low-precision series of Meeus, *Astronomical Algorithms*, chapter 25, as in NOAA's calculator. The
/// difference between universal and terrestrial time, about a minute, moves the sun by less than a thousandth of a degree.
nonisolated struct SolarPosition {
  /// Degrees of the sun's centre above the horizon, without refraction, -90 to 90.
  let altitude: Double
  /// Degrees since the sun crossed the meridian, -180 to 180: negative before noon.
  let hourAngle: Double

  /// Computes the position for a place in degrees and a time in seconds since 1970.
  init(latitude: Double, longitude: Double, at seconds: Double) {
    // Days and centuries since noon of 1 January 2000.
    let days = seconds / 86_400 - 10_957.5
    let century = days / 36_525

    let meanAnomaly = (357.52911 + 35_999.05029 * century).inRadians
    let center =
      (1.914602 - 0.004817 * century) * sin(meanAnomaly) + (0.019993 - 0.000101 * century) * sin(2 * meanAnomaly)
      + 0.000289 * sin(3 * meanAnomaly)
    let node = (125.04 - 1_934.136 * century).inRadians
    let trueLongitude = 280.46646 + 36_000.76983 * century + center
    let apparentLongitude = (trueLongitude - 0.00569 - 0.00478 * sin(node)).inRadians
    let obliquity = (23.439291 - 0.0130042 * century + 0.00256 * cos(node)).inRadians

    let rightAscension = atan2(cos(obliquity) * sin(apparentLongitude), cos(apparentLongitude)).inDegrees
    let declination = asin(sin(obliquity) * sin(apparentLongitude))
    let siderealTime = 280.46061837 + 360.98564736629 * days
    hourAngle = remainder(siderealTime + longitude - rightAscension, 360)
    let sine =
      sin(latitude.inRadians) * sin(declination) + cos(latitude.inRadians) * cos(declination) * cos(hourAngle.inRadians)
    altitude = asin(min(max(sine, -1), 1)).inDegrees
  }
}

nonisolated extension Double {
  fileprivate var inRadians: Double { self * .pi / 180 }
  fileprivate var inDegrees: Double { self * 180 / .pi }
}
