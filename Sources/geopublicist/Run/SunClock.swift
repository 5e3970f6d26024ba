// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import MainLoop

/// Tells when moments of the sun have come, at the place where the machine is then.
final class SunClock {
  /// The wall clock may be set, and timers stand still while the machine sleeps: look at least this often, milliseconds.
  private static let longestWait: Int64 = 60_000
  /// How long to wait after a place that could not be had, in milliseconds.
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
    let now = Self.now
    due = moments.compactMap { moment in moment.next(after: now, at: place).map { (moment, $0) } }
    wait()
  }

  private func wait() {
    let first = due.map(\.time).min()
    let remaining = first.map { Int64(clamping: Int((($0 - Self.now) * 1_000).rounded(.up))) } ?? Self.longestWait
    timer = MainLoop.main.after(milliseconds: min(max(remaining, 0), Self.longestWait)) { [weak self] in self?.look() }
  }

  private func look() {
    let passed = due.filter { $0.time <= Self.now }
    guard !passed.isEmpty else { return wait() }
    due.removeAll { entry in passed.contains { $0.moment == entry.moment } }
    for entry in passed { onMoment(entry.moment) }
    // The machine may have travelled since.
    locate()
  }

  private static var now: Double { Double(Moment.now.microsecondsSinceEpoch) / 1_000_000 }
}
