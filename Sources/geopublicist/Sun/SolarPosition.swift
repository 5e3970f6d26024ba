// SPDX-License-Identifier: Apache-2.0
import Glibc

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
      sin(latitude.inRadians) * sin(declination)
      + cos(latitude.inRadians) * cos(declination) * cos(hourAngle.inRadians)
    altitude = asin(min(max(sine, -1), 1)).inDegrees
  }
}

nonisolated extension Double {
  fileprivate var inRadians: Double { self * .pi / 180 }
  fileprivate var inDegrees: Double { self * 180 / .pi }
}
