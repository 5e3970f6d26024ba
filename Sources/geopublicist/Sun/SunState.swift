// SPDX-License-Identifier: Apache-2.0
/// How light it is at a moment, and the next change.
nonisolated struct SunState {
  enum Phase: String {
    /// The sun is more than six degrees below the horizon.
    case night
    /// Twilight while the sun rises.
    case dawn
    case day
    /// Twilight while the sun sets.
    case dusk
  }

  let phase: Phase
  /// The next change and its time; nil if there is none within a year.
  let next: (event: SunDay.Event, time: Double)?

  init(latitude: Double, longitude: Double, at seconds: Double) {
    func altitude(_ time: Double) -> Double {
      SolarPosition(latitude: latitude, longitude: longitude, at: time).altitude
    }
    let (now, isRising) = (altitude(seconds), altitude(seconds + 60) > altitude(seconds))
    func isAbove(_ event: SunDay.Event) -> Bool { event.altitude.map { now > $0 } ?? false }
    phase = isAbove(.sunrise) ? .day : isAbove(.dawn) ? (isRising ? .dawn : .dusk) : .night
    next =
      SunDay.days(latitude: latitude, longitude: longitude, around: seconds).lazy.compactMap { day in
        SunDay.Event.changes.lazy.compactMap { event in day[event].map { (event, $0) } }.first { $0.1 > seconds }
      }.first { _ in true }
  }
}
