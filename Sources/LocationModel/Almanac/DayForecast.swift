// SPDX-License-Identifier: Apache-2.0
/// The phases of the day at a place from a moment on, for seven days, rounded to whole minutes.
package struct DayForecast: Equatable, Sendable {
  /// A phase and when it begins, in seconds since 1970.
  package struct Entry: Hashable, Sendable {
    package let phase: DayPhase
    package let start: Int64
  }

  /// The length of the forecast in seconds.
  package static let length: Int64 = 604_800

  /// The current phase and those that begin within ``length``. Never empty. The first phase began at most three days
  /// before the moment.
  package let entries: [Entry]
  /// When the sun rises and sets on the solar day that contains the moment, regardless of offsets.
  package let sunrise: Int64?
  package let sunset: Int64?

  /// Computes the forecast for a place in degrees and a time in seconds since 1970.
  package init(latitude: Double, longitude: Double, at now: Int64, _ options: AlmanacOptions = AlmanacOptions()) {
    // Offsets move a boundary by at most six hours.
    let days = Array(SunDay.days(latitude: latitude, longitude: longitude, around: Double(now), -2...8))
    let timeline = PhaseTimeline(days, options)
    let rounded = timeline.rounded()
    let current = rounded.lastIndex { $0.start <= now } ?? 0
    entries = rounded[current...].enumerated().filter { $0.offset == 0 || $0.element.start < now + Self.length }
      .map(\.element)
    let today = days.first { Double(now) < $0.end } ?? days[2]
    sunrise = today[.sunrise].map(PhaseTimeline.minute)
    sunset = today[.sunset].map(PhaseTimeline.minute)
  }

  package var phase: DayPhase { entries[0].phase }

  /// The next change, or nil if there is none within ``length``.
  package var next: Entry? { entries.count > 1 ? entries[1] : nil }

  /// Returns whether the phases differ from those of another forecast for the same moment, or any time by more than
  /// `tolerance` seconds.
  package func differs(from other: DayForecast, by tolerance: Int64 = 300) -> Bool {
    func isOther(_ time: Int64?, _ other: Int64?) -> Bool {
      guard let time, let other else { return (time == nil) != (other == nil) }
      return abs(time - other) > tolerance
    }
    // A phase at the end may begin just within one forecast and just after the other.
    let count = min(entries.count, other.entries.count)
    guard abs(entries.count - other.entries.count) <= 1, phase == other.phase else { return true }
    return isOther(sunrise, other.sunrise) || isOther(sunset, other.sunset)
      || (1..<max(1, count)).contains {
        entries[$0].phase != other.entries[$0].phase || isOther(entries[$0].start, other.entries[$0].start)
      }
  }
}

/// Divides consecutive solar days into phases.
private struct PhaseTimeline {
  /// The time of an event of the sun, and the same time with the user's offset.
  private struct Boundary {
    var natural: Double
    var shifted: Double
  }

  /// A time during which the sun is above an altitude, with offsets.
  private struct Span {
    var start: Boundary
    var end: Boundary
  }

  private let days: [SunDay]
  private let options: AlmanacOptions
  private var phases: [(start: Double, phase: DayPhase)] = []

  init(_ days: [SunDay], _ options: AlmanacOptions) {
    self.days = days
    self.options = options
    let light = spans(above: Twilight.sunset.altitude)
    let dusky = spans(above: options.twilight.altitude)
    phases.append((-.infinity, .night))
    for span in dusky { divide(span, light) }
    addPolarDays()
  }

  static func minute(_ time: Double) -> Int64 { Int64((time / 60).rounded()) * 60 }

  /// Returns the phases with rounded times, without those that are empty or continue the one before.
  func rounded() -> [DayForecast.Entry] {
    guard let first = days.first, let last = days.last else { return [] }
    var entries: [DayForecast.Entry] = []
    for (start, phase) in phases where start < last.end {
      let time = Self.minute(max(start, first.start))
      while let last = entries.last, last.start >= time { entries.removeLast() }
      if entries.last?.phase != phase { entries.append(DayForecast.Entry(phase: phase, start: time)) }
    }
    return entries
  }

  private func rising(_ time: Double) -> Boundary {
    Boundary(natural: time, shifted: time + Double(options.dayOffset))
  }

  private func setting(_ time: Double) -> Boundary {
    Boundary(natural: time, shifted: time + Double(options.nightOffset))
  }

  /// The moment at which the sun turns belongs to both halves of the day, and moves by the mean of their offsets.
  private func turning(_ time: Double) -> Boundary {
    Boundary(natural: time, shifted: time + Double(options.dayOffset + options.nightOffset) / 2)
  }

  /// Returns when the sun is above an altitude, in order and without overlap. Offsets may join or remove spans.
  private func spans(above altitude: Double) -> [Span] {
    var spans: [Span] = []
    var start: Boundary?
    func close(_ end: Boundary) {
      guard let opened = start else { return }
      start = nil
      guard opened.shifted < end.shifted else { return }
      if let last = spans.last, opened.shifted <= last.end.shifted {
        if end.shifted > last.end.shifted { spans[spans.count - 1].end = end }
      } else {
        spans.append(Span(start: opened, end: end))
      }
    }
    for (index, day) in days.enumerated() {
      // A crossing at the very moment where two days meet may belong to neither.
      let isUp = day.altitude(day.start) > altitude
      if isUp, start == nil {
        start = index == 0 ? Boundary(natural: -.infinity, shifted: -.infinity) : rising(day.start)
      }
      if !isUp { close(setting(day.start)) }
      if let time = day.rise(through: altitude), start == nil { start = rising(time) }
      if let time = day.fall(through: altitude) { close(setting(time)) }
    }
    close(Boundary(natural: .infinity, shifted: .infinity))
    return spans
  }

  /// Adds the phases of a time that is not night.
  private mutating func divide(_ span: Span, _ light: [Span]) {
    var from = span.start
    var half = DayPhase.twilightMorning
    for day in light where day.start.shifted >= span.start.shifted && day.end.shifted <= span.end.shifted {
      addTwilight(from: from, to: day.start, half)
      phases.append((day.start.shifted, .day))
      from = day.end
      half = .twilightEvening
    }
    addTwilight(from: from, to: span.end, half)
    phases.append((span.end.shifted, .night))
  }

  /// Adds the twilight between two boundaries. It begins in one half of the day and changes to the other wherever the
  /// sun turns.
  private mutating func addTwilight(from: Boundary, to: Boundary, _ half: DayPhase) {
    guard from.shifted < to.shifted else { return }
    phases.append((from.shifted, half))
    var latest = from.shifted
    func add(_ turn: Boundary, _ half: DayPhase) {
      guard turn.natural > from.natural, turn.natural < to.natural else { return }
      latest = min(max(latest, turn.shifted), to.shifted)
      phases.append((latest, half))
    }
    for day in days {
      add(turning(day.start), .twilightMorning)
      add(turning(day.highest), .twilightEvening)
    }
  }

  /// Replaces day with polar day, and night with polar night, on solar days that have no other phase.
  private mutating func addPolarDays() {
    let limit = options.twilight.altitude
    for (index, day) in days.enumerated() {
      // Two days meet where each has found its own end, so that there may be a gap of a second.
      let end = index + 1 < days.count ? max(day.end, days[index + 1].start) : day.end
      if min(day.altitude(day.start), day.altitude(day.end)) > Twilight.sunset.altitude {
        replace(.day, with: .polarDay, from: day.start, to: end)
      } else if day.altitude(day.highest) <= limit {
        replace(.night, with: .polarNight, from: day.start, to: end)
      }
    }
  }

  private mutating func replace(_ old: DayPhase, with new: DayPhase, from start: Double, to end: Double) {
    var result: [(start: Double, phase: DayPhase)] = []
    for (index, entry) in phases.enumerated() {
      let next = index + 1 < phases.count ? phases[index + 1].start : .infinity
      guard entry.phase == old, entry.start < end, next > start else {
        result.append(entry)
        continue
      }
      if entry.start < start { result.append(entry) }
      result.append((max(entry.start, start), new))
      if next > end { result.append((end, old)) }
    }
    phases = result
  }
}
