// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The direction of the sun from the centre of the Earth, to about two thousandths of a degree from 1950 to 2100.
///
/// Computed from the larger terms of the planetary theory VSOP87 and of the nutation, as given by Meeus, *Astronomical
/// Algorithms*, chapters 22 and 25. Near the longest and the shortest day at high latitudes, a hundredth of a degree
/// would move a twilight by minutes.
struct SolarPosition {
  /// Degrees eastwards along the equator from the equinox of the date, 0 to 360.
  let rightAscension: Double
  /// Degrees north of the equator.
  let declination: Double

  /// Computes the direction at a time in seconds since 1970.
  init(at seconds: Double) {
    // A fit by Espenak and Meeus: the seconds by which terrestrial time is ahead of universal time, to half a minute.
    let years = seconds / 31_557_600 - 30
    let ahead = 62.92 + (0.32217 + 0.005589 * years) * years
    let century = (seconds + ahead - 946_728_000) / 3_155_760_000

    // Heliocentric longitude of the Earth, in radians.
    let millennium = century / 10
    let series = Self.longitudes.map { terms in
      terms.reduce(0) { $0 + $1.amplitude * cos($1.phase + $1.frequency * millennium) }
    }
    let earth = (series[0] + (series[1] + series[2] * millennium) * millennium) * 1e-8

    let node = (125.04452 - 1_934.136261 * century).radians
    let meanLongitude = (280.4665 + 36_000.7698 * century).radians
    let meanAnomaly = (357.529 + 35_999.05 * century).radians
    let nutation = (-17.2 * sin(node) - 1.32 * sin(2 * meanLongitude)) / 3_600
    let aberration = 20.4898 / 3_600 * (1 + 0.0167 * cos(meanAnomaly))
    let longitude = (earth.degrees + 180 + nutation - aberration).radians
    let obliquity =
      (23.4392911 - 0.0130042 * century + (9.2 * cos(node) + 0.57 * cos(2 * meanLongitude)) / 3_600).radians

    rightAscension = Angle.wrapped(atan2(cos(obliquity) * sin(longitude), cos(longitude)).degrees)
    declination = asin(sin(obliquity) * sin(longitude)).degrees
  }

  private typealias Term = (amplitude: Double, phase: Double, frequency: Double)

  /// The terms of the longitude for each power of the time: amplitudes in units of 1e-8 radians, phases in radians, and
  /// frequencies in radians per thousand years.
  private static let longitudes: [[Term]] = [
    [
      (175_347_046, 0, 0), (3_341_656, 4.6692568, 6_283.07585), (34_894, 4.6261, 12_566.1517),
      (3_497, 2.7441, 5_753.3849), (3_418, 2.8289, 3.5231), (3_136, 3.6277, 77_713.7715),
      (2_676, 4.4181, 7_860.4194), (2_343, 6.1352, 3_930.2097), (1_324, 0.7425, 11_506.7698),
      (1_273, 2.0371, 529.691), (1_199, 1.1096, 1_577.3435), (990, 5.233, 5_884.927), (902, 2.045, 26.298),
      (857, 3.508, 398.149), (780, 1.179, 5_223.694), (753, 2.533, 5_507.553), (505, 4.583, 18_849.228),
      (492, 4.205, 775.523), (357, 2.92, 0.067), (317, 5.849, 11_790.629), (284, 1.899, 796.298),
      (271, 0.315, 10_977.079), (243, 0.345, 5_486.778), (206, 4.806, 2_544.314), (205, 1.869, 5_573.143),
      (202, 2.458, 6_069.777),
    ],
    [
      (628_331_966_747, 0, 0), (206_059, 2.678235, 6_283.07585), (4_303, 2.6351, 12_566.1517), (425, 1.59, 3.523),
    ],
    [(52_919, 0, 0), (8_720, 1.0721, 6_283.0758), (309, 0.867, 12_566.152)],
  ]
}

/// The altitude of the sun at a place during the days around a moment.
///
/// The direction of the sun changes so evenly that three positions determine it within two days of the moment, to a ten
/// thousandth of a degree.
struct SunPath {
  private let latitude: (sine: Double, cosine: Double)
  private let longitude: Double
  private let moment: Double
  private let rightAscension: Curve
  private let declination: Curve

  /// A parabola through three values that are ``SunPath/step`` apart.
  private struct Curve {
    let middle: Double
    let slope: Double
    let bend: Double

    init(_ before: Double, _ middle: Double, _ after: Double) {
      self.middle = middle
      slope = (after - before) / 2
      bend = (after + before) / 2 - middle
    }

    func value(_ steps: Double) -> Double { middle + (slope + bend * steps) * steps }
  }

  private static let step = 129_600.0
  /// By how many degrees lower an observer at the equator sees the sun than from the centre of the Earth.
  private static let parallax = 8.794 / 3_600

  /// Takes a place in degrees and a time in seconds since 1970.
  init(latitude: Double, longitude: Double, around moment: Double) {
    self.latitude = (sin(latitude.radians), cos(latitude.radians))
    self.longitude = longitude
    self.moment = moment
    let positions = [-Self.step, 0, Self.step].map { SolarPosition(at: moment + $0) }
    let middle = positions[1].rightAscension
    rightAscension = Curve(
      middle + Angle.difference(from: middle, to: positions[0].rightAscension), middle,
      middle + Angle.difference(from: middle, to: positions[2].rightAscension))
    declination = Curve(positions[0].declination, positions[1].declination, positions[2].declination)
  }

  /// Returns the degrees of the sun's centre above the horizon, without refraction, -90 to 90.
  func altitude(_ time: Double) -> Double {
    let declination = declination.value((time - moment) / Self.step).radians
    let sine =
      latitude.sine * sin(declination) + latitude.cosine * cos(declination) * cos(hourAngle(time).radians)
    let altitude = asin(min(max(sine, -1), 1))
    return altitude.degrees - Self.parallax * cos(altitude)
  }

  /// Returns the noon that is less than half a day away.
  func noon(near seconds: Double) -> Double {
    var noon = seconds
    // A degree takes four minutes, and the equation of time changes by less than half a minute a day.
    for _ in 0..<5 { noon -= hourAngle(noon) * 240 }
    return noon
  }

  /// Returns when the sun turns from rising to setting or back. If it does not turn in this span, returns one of its
  /// ends.
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

  /// Returns the degrees since the sun crossed the meridian, -180 to 180: negative before noon.
  private func hourAngle(_ time: Double) -> Double {
    // Days since noon of 1 January 2000.
    let days = time / 86_400 - 10_957.5
    let siderealTime = 280.46061837 + 360.98564736629 * days
    return remainder(siderealTime + longitude - rightAscension.value((time - moment) / Self.step), 360)
  }
}

extension Double {
  fileprivate var degrees: Double { self * 180 / .pi }
}
