// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

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
