// SPDX-License-Identifier: Apache-2.0
/// The sun over one solar day: from its lowest point to its highest, and down again. Times are seconds since 1970.
package struct SunDay {
  /// Why a day has neither sunrise nor sunset.
  package enum Polar: String {
    /// The sun stays above the horizon.
    case day
    /// The sun stays below the horizon.
    case night
  }

  /// The events of a day, in their usual order.
  package enum Event: String, CaseIterable, Sendable {
    case dawn, sunrise, noon, sunset, dusk

    /// The events at which the phase changes.
    package static let changes = [dawn, sunrise, sunset, dusk]

    /// The altitude of the sun's centre in degrees; nil for noon. Dawn and dusk are those of civil twilight.
    package var altitude: Double? {
      switch self {
      case .sunrise, .sunset: Twilight.sunset.altitude
      case .dawn, .dusk: Twilight.civil.altitude
      case .noon: nil
      }
    }
  }

  /// When the sun crosses the meridian.
  package let noon: Double
  /// When the sun is at its lowest point before noon.
  let start: Double
  /// When the sun is at its highest point.
  let highest: Double
  /// When the sun is at its lowest point after noon: the start of the next day, to the second.
  let end: Double
  private let path: SunPath

  /// Computes the solar day, from midnight to midnight, that contains a moment.
  package init(latitude: Double, longitude: Double, containing seconds: Double) {
    path = SunPath(latitude: latitude, longitude: longitude, around: seconds)
    noon = path.noon(near: seconds)
    let quarter = 21_600.0
    // Next to the poles the declination moves the highest and the lowest point by hours. Between these points the sun
    // only rises or only sets, so that no event is missed, and the ends of two neighbouring days meet.
    start = path.turn(from: path.noon(near: noon - 86_400) + quarter, to: noon - quarter, risesAtFirst: false)
    highest = path.turn(from: noon - quarter, to: noon + quarter, risesAtFirst: true)
    end = path.turn(from: noon + quarter, to: path.noon(near: noon + 86_400) - quarter, risesAtFirst: false)
  }

  /// Returns the time of an event; nil if it does not happen on this day.
  package subscript(event: Event) -> Double? {
    guard let altitude = event.altitude else { return noon }
    return event == .dawn || event == .sunrise ? rise(through: altitude) : fall(through: altitude)
  }

  /// Polar day or night; nil on a day with a sunrise or a sunset.
  package var polar: Polar? {
    guard let horizon = Event.sunrise.altitude, self[.sunrise] == nil, self[.sunset] == nil else { return nil }
    return altitude(noon) > horizon ? .day : .night
  }

  /// Returns the degrees of the sun's centre above the horizon at a time of this day, without refraction.
  package func altitude(_ time: Double) -> Double { path.altitude(time) }

  /// Returns when the rising sun reaches an altitude in degrees; nil if it does not.
  func rise(through altitude: Double) -> Double? { path.crossing(of: altitude, below: start, above: highest) }

  /// Returns when the setting sun reaches an altitude in degrees; nil if it does not.
  func fall(through altitude: Double) -> Double? { path.crossing(of: altitude, below: end, above: highest) }

  /// Returns the solar days in a range of days relative to a moment, by default from the one before until a year later.
  package static func days(
    latitude: Double, longitude: Double, around seconds: Double, _ range: ClosedRange<Int> = -1...366
  ) -> some Sequence<SunDay> {
    // Solar days differ by up to half a minute from 24 hours: steps from noon to noon meet each of them once.
    let noon = SunPath(latitude: latitude, longitude: longitude, around: seconds).noon(near: seconds)
    return range.lazy.map {
      SunDay(latitude: latitude, longitude: longitude, containing: noon + Double($0) * 86_400)
    }
  }
}
