// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import MainLoop

/// Calls a handler at moments of the sun, for the place where the machine is at that time.
final class SunClock {
  /// Milliseconds until the next attempt to get a location after a failed one.
  private static let pause: Int64 = 300_000

  private let service: ServiceConnection
  private let moments: [SunMoment]
  private let onMoment: (SunMoment) -> Void
  private let onFailure: (DBusError) -> Void
  private var due: [(moment: SunMoment, time: Double)] = []
  private var timer: LoopSource?

  init(
    on service: ServiceConnection, _ moments: [SunMoment], onMoment: @escaping (SunMoment) -> Void,
    onFailure: @escaping (DBusError) -> Void
  ) {
    self.service = service
    self.moments = moments
    self.onMoment = onMoment
    self.onFailure = onFailure
    locate()
  }

  private func locate() {
    var options = ClientOptions()
    options.accuracy = .city
    options.maximumAge = 3_600_000
    service.location(options) { [weak self] result in
      switch result {
      case .success(let reading): self?.plan(reading.location)
      case .failure(let error):
        self?.onFailure(error)
        self?.timer = MainLoop.main.after(milliseconds: Self.pause) { [weak self] in self?.locate() }
      }
    }
  }

  private func plan(_ place: Location) {
    let now = Moment.seconds
    due = moments.compactMap { moment in moment.next(after: now, at: place).map { (moment, $0) } }
    wait()
  }

  private func wait() {
    let wait = Moment.millisecondsToWait(until: due.map(\.time).min())
    timer = MainLoop.main.after(milliseconds: wait) { [weak self] in self?.check() }
  }

  private func check() {
    let passed = due.filter { $0.time <= Moment.seconds }
    guard !passed.isEmpty else { return wait() }
    due.removeAll { entry in passed.contains { $0.moment == entry.moment } }
    for entry in passed { onMoment(entry.moment) }
    // The machine may have travelled since.
    locate()
  }
}

/// A daily time relative to the sun, such as half an hour before sunset.
nonisolated struct SunMoment: Equatable {
  typealias Event = SunDay.Event

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
    return days.lazy.compactMap { day in day[event].map { $0 + offset } }.first { $0 > seconds }
  }
}
