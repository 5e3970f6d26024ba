// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// A time of every day that follows the sun, such as half an hour before sunset.
nonisolated struct SunMoment: Equatable {
  enum Event: String, CaseIterable {
    case dawn, sunrise, noon, sunset, dusk
  }

  let event: Event
  /// Seconds after the event; negative is before it.
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

  /// Returns the first such time after another one; nil if there is none within a year, as at the poles.
  func next(after seconds: Double, at place: Location) -> Double? {
    for day in -1...366 {
      let sun = SunDay(
        latitude: place.latitude, longitude: place.longitude, containing: seconds - offset + Double(day) * 86_400)
      if let time = time(on: sun), time + offset > seconds { return time + offset }
    }
    return nil
  }

  private func time(on day: SunDay) -> Double? {
    switch event {
    case .dawn: day[.dawn]
    case .sunrise: day[.sunrise]
    case .noon: day.noon
    case .sunset: day[.sunset]
    case .dusk: day[.dusk]
    }
  }
}
