// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

/// Calls a handler at times relative to the sun, for the place where the machine is then.
final class SunClock {
  /// How long before a moment the machine is located again, in seconds.
  private static let early = 600.0
  /// The time until the next attempt to get a location after a failed one.
  private static let pause = Duration.seconds(300)

  private let service: ServiceConnection
  private let onMoment: (SunMoment) -> Void
  private let onFailure: (DBusError) -> Void
  private var schedule: SunSchedule
  private var place: Location?
  private var timer: LoopSource?
  private var retry: LoopSource?
  /// The moment before which the machine was located last.
  private var located: Double?

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
    for moment in passed { onMoment(moment) }
    // The machine may have travelled since. Until its location is known, the last place counts.
    if !passed.isEmpty || isLocationDue { locate() }
  }

  /// Whether a moment is near for which the machine has not been located. The time of a moment changes with the place.
  private var isLocationDue: Bool {
    guard let next = schedule.next, next - Moment.seconds < Self.early else { return false }
    defer { located = next }
    return located.map { abs($0 - next) > 3_600 } ?? true
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

  /// Returns the moments that have passed, in the order of their times, once.
  mutating func takePassed(at now: Double) -> [SunMoment] {
    let passed = due.indices.filter { due[$0].time ?? .infinity <= now }
      .sorted { due[$0].time ?? 0 < due[$1].time ?? 0 }
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
