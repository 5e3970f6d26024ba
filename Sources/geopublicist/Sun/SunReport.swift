// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// The sun at a place and a moment, as text for people and scripts.
nonisolated struct SunReport {
  static let fields = ["phase", "dawn", "sunrise", "noon", "sunset", "dusk", "polar", "next", "next-time"]

  let phase: SunState.Phase
  let next: (event: SunDay.Event, time: Double)?
  private let day: SunDay

  init(_ place: Location, at seconds: Double) {
    let state = SunState(latitude: place.latitude, longitude: place.longitude, at: seconds)
    (phase, next) = (state.phase, state.next)
    day = SunDay(latitude: place.latitude, longitude: place.longitude, containing: seconds)
  }

  func value(_ field: String) -> Template.Field? {
    switch field {
    case "phase": .text(phase.rawValue)
    case "polar": day.polar.map { .text($0.rawValue) }
    case "next": next.map { .text($0.event.rawValue) }
    case "next-time": next.map { .text(Self.clock($0.time)) }
    default: SunDay.Event(rawValue: field).flatMap { day[$0] }.map { .text(Self.clock($0)) }
    }
  }

  var json: String {
    var members: [(String, Value)] = [("Phase", .string(phase.rawValue))]
    for event in SunDay.Event.allCases {
      if let time = day[event] { members.append((event.title, .string(Self.iso(time)))) }
    }
    if let polar = day.polar { members.append(("Polar", .string(polar.rawValue))) }
    if let next {
      members += [("Next", .string(next.event.rawValue)), ("NextTime", .string(Self.iso(next.time)))]
    }
    return JSONText.object(members)
  }

  /// One line for `--follow`.
  var line: String {
    let until = next.map { " until \(Self.local($0.time)) (\($0.event.rawValue))" } ?? ""
    return phase.rawValue + until
  }

  var rows: Rows {
    var rows = Rows()
    rows.add(tr("Phase"), phase.rawValue + (day.polar.map { " (polar \($0.rawValue))" } ?? ""), .strong)
    for event in SunDay.Event.allCases { rows.add(event.title, day[event].map(Self.clock)) }
    rows.add(tr("Next"), next.map { "\($0.event.rawValue), \(Self.local($0.time))" })
    return rows
  }

  private static func timestamp(_ time: Double) -> Timestamp { Timestamp(seconds: UInt64(max(0, time.rounded()))) }
  private static func iso(_ time: Double) -> String { Moment.iso(timestamp(time)) }
  private static func local(_ time: Double) -> String { Moment.local(timestamp(time)) }
  private static func clock(_ time: Double) -> String { Moment.local(timestamp(time), "%H:%M") }
}

nonisolated extension SunDay.Event {
  /// The name as a label and as a JSON key.
  fileprivate var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}

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
    // A change that is happening has happened; the computed time of a sunset is a moment early.
    let seconds = seconds + SunMoment.tolerance
    let today = SunDay(latitude: latitude, longitude: longitude, containing: seconds)
    let now = today.altitude(seconds)
    let isRising = today.altitude(seconds + 60) > now
    func isAbove(_ event: SunDay.Event) -> Bool { event.altitude.map { now > $0 } ?? false }
    phase = isAbove(.sunrise) ? .day : isAbove(.dawn) ? (isRising ? .dawn : .dusk) : .night
    next = SunDay.days(latitude: latitude, longitude: longitude, around: seconds).lazy.compactMap { day in
      SunDay.Event.changes.lazy.compactMap { event in day[event].map { (event, $0) } }
        .first { $0.1 > seconds }
    }.first { _ in true }
  }
}
