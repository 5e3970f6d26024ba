// SPDX-License-Identifier: Apache-2.0
/// How light it is at a moment.
nonisolated struct SunState {
  enum Phase: String {
    /// The sun is more than six degrees below the horizon.
    case night
    /// Morning twilight.
    case dawn
    case day
    /// Evening twilight.
    case dusk
  }

  let phase: Phase
  /// What happens next, and when; nil if nothing does within a year.
  let next: (event: SunDay.Event, time: Double)?

  init(latitude: Double, longitude: Double, at seconds: Double) {
    let position = SolarPosition(latitude: latitude, longitude: longitude, at: seconds)
    let isMorning = position.hourAngle < 0
    phase =
      switch position.altitude {
      case ...SunDay.Event.dawn.altitude: .night
      case ...SunDay.Event.sunrise.altitude: isMorning ? .dawn : .dusk
      default: .day
      }
    next =
      (0...366).lazy.compactMap { day -> (event: SunDay.Event, time: Double)? in
        let sun = SunDay(latitude: latitude, longitude: longitude, containing: seconds + Double(day) * 86_400)
        return SunDay.Event.allCases.lazy.compactMap { event in sun[event].map { (event, $0) } }
          .first { $0.1 > seconds }
      }.first
  }
}
