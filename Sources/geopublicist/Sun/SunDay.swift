// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The sun over one solar day, from midnight to midnight around a noon. Times are seconds since 1970.
nonisolated struct SunDay: Equatable {
  /// Why a day lacks an event.
  enum Polar: String {
    /// The sun stays above the horizon.
    case day
    /// The sun stays below it.
    case night
  }

  /// The moments at which the phase changes, in the order of a day.
  enum Event: String, CaseIterable {
    case dawn, sunrise, sunset, dusk

    /// Degrees of the sun's centre: refraction and half the disc for rising and setting, civil twilight.
    var altitude: Double {
      switch self {
      case .sunrise, .sunset: -50.0 / 60
      case .dawn, .dusk: -6
      }
    }

    var isMorning: Bool { self == .dawn || self == .sunrise }
  }

  /// When the sun is highest.
  let noon: Double
  /// Polar day or night; nil where the sun rises and sets.
  let polar: Polar?
  private let times: [Event: Double]

  /// When something happens, if it does on this day.
  subscript(event: Event) -> Double? { times[event] }

  /// The solar day that a moment belongs to.
  init(latitude: Double, longitude: Double, containing seconds: Double) {
    func position(_ time: Double) -> SolarPosition {
      SolarPosition(latitude: latitude, longitude: longitude, at: time)
    }
    // A degree takes four minutes, and the equation of time changes by less than half a minute a day.
    var noon = seconds - position(seconds).hourAngle * 240
    for _ in 0..<3 { noon -= position(noon).hourAngle * 240 }
    self.noon = noon

    func crossing(_ event: Event) -> Double? {
      let midnight = noon + (event.isMorning ? -43_200 : 43_200)
      var (above, below) = (noon, midnight)
      guard position(above).altitude > event.altitude, position(below).altitude <= event.altitude else { return nil }
      while abs(above - below) > 0.1 {
        let middle = (above + below) / 2
        if position(middle).altitude > event.altitude { above = middle } else { below = middle }
      }
      return above
    }
    times = Dictionary(
      uniqueKeysWithValues: Event.allCases.compactMap { event in crossing(event).map { (event, $0) } })
    let highest = position(noon).altitude
    polar = times[.sunrise] != nil ? nil : highest > Event.sunrise.altitude ? .day : .night
  }
}
