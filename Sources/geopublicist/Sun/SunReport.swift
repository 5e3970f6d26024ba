// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

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
    let today = SunDay(latitude: latitude, longitude: longitude, containing: seconds)
    let now = today.altitude(seconds)
    let isRising = today.altitude(seconds + 60) > now
    func isAbove(_ event: SunDay.Event) -> Bool { event.altitude.map { now > $0 } ?? false }
    phase = isAbove(.sunrise) ? .day : isAbove(.dawn) ? (isRising ? .dawn : .dusk) : .night
    next = SunDay.days(latitude: latitude, longitude: longitude, around: seconds).lazy.compactMap { day in
      SunDay.Event.changes.lazy.compactMap { event in day[event].map { (event, $0) } }
        .first { $0.1 > seconds + SunMoment.tolerance }
    }.first { _ in true }
  }
}

/// Calls a handler at times relative to the sun, for the place where the machine is then.
final class SunClock {
  /// The time until the next attempt to get a location after a failed one.
  private static let pause = Duration.seconds(300)

  private let service: ServiceConnection
  private let onMoment: (SunMoment) -> Void
  private let onFailure: (DBusError) -> Void
  private var schedule: SunSchedule
  private var place: Location?
  private var timer: LoopSource?
  private var retry: LoopSource?

  init(
    on service: ServiceConnection, _ moments: [SunMoment], onMoment: @escaping (SunMoment) -> Void,
    onFailure: @escaping (DBusError) -> Void
  ) {
    self.service = service
    schedule = SunSchedule(moments)
    self.onMoment = onMoment
    self.onFailure = onFailure
    locate()
  }

  private func locate() {
    var options = ClientOptions()
    options.accuracy = .city
    options.maximumAge = .seconds(3_600)
    service.location(options) { [weak self] result in
      switch result {
      case .success(let reading):
        self?.place = reading.location
        self?.plan()
      case .failure(let failure):
        self?.onFailure(failure.error)
        self?.retry = MainLoop.main.after(Self.pause) { [weak self] in self?.locate() }
      }
    }
  }

  private func plan() {
    guard let place else { return }
    schedule.plan(at: place, Moment.seconds)
    timer = MainLoop.main.after(Moment.wait(until: schedule.next)) { [weak self] in self?.check() }
  }

  private func check() {
    let passed = schedule.takePassed(at: Moment.seconds)
    plan()
    guard !passed.isEmpty else { return }
    for moment in passed { onMoment(moment) }
    // The machine may have travelled since. Until its location is known, the last place counts.
    locate()
  }
}

/// When each of several moments happens next, once a day for a machine that may travel.
nonisolated struct SunSchedule {
  private struct Due {
    let moment: SunMoment
    /// When it happens next; nil if that is not known, or not within a year.
    var time: Double?
    /// When it happened last.
    var last: Double?
  }

  /// After it has happened, a moment does not happen again for half a day, although it may be later in another place.
  private static let rest = 43_200.0

  private var due: [Due]

  init(_ moments: [SunMoment]) { due = moments.map { Due(moment: $0) } }

  /// The time of the next moment; nil if there is none.
  var next: Double? { due.compactMap(\.time).min() }

  /// Computes the times for a place, except those that have passed or are imminent, which would be skipped.
  mutating func plan(at place: Location, _ now: Double) {
    for index in due.indices where due[index].time.map({ $0 > now + SunMoment.tolerance }) ?? true {
      let last = due[index].last.flatMap { $0 <= now ? $0 + Self.rest : nil }
      due[index].time = due[index].moment.next(after: max(now, last ?? now), at: place)
    }
  }

  /// Returns the moments that have passed, once.
  mutating func takePassed(at now: Double) -> [SunMoment] {
    let passed = due.indices.filter { index in due[index].time.map { $0 <= now } ?? false }
    for index in passed { (due[index].last, due[index].time) = (due[index].time, nil) }
    return passed.map { due[$0].moment }
  }
}

/// A daily time relative to the sun, such as half an hour before sunset.
nonisolated struct SunMoment: Equatable {
  typealias Event = SunDay.Event

  /// The same event, computed at different times, differs by less than this many seconds. One that has just happened is
  /// not the next one.
  static let tolerance = 1.0

  let event: Event
  /// Seconds after the event; negative before it.
  let offset: Double

  init(_ event: Event, offset: Double = 0) {
    self.event = event
    self.offset = offset
  }

  /// Reads "sunset", "sunset-30min" or "dawn+1h30m"; nil for anything else, and for more than half a day.
  init?(_ text: String) {
    guard let sign = text.firstIndex(where: { $0 == "+" || $0 == "-" }) else {
      guard let event = Event(rawValue: text) else { return nil }
      self.init(event)
      return
    }
    guard let event = Event(rawValue: String(text[..<sign])),
      let milliseconds = Quantity.milliseconds(String(text[text.index(after: sign)...])), milliseconds <= 43_200_000
    else { return nil }
    self.init(event, offset: (text[sign] == "-" ? -1 : 1) * Double(milliseconds) / 1_000)
  }

  /// Returns the first such time after a moment; nil if there is none within a year.
  func next(after seconds: Double, at place: Location) -> Double? {
    let days = SunDay.days(latitude: place.latitude, longitude: place.longitude, around: seconds - offset)
    return days.lazy.compactMap { day in day[event].map { $0 + offset } }.first { $0 > seconds + Self.tolerance }
  }
}
