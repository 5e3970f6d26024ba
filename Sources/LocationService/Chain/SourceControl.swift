// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop
import Publicist

/// Holds the source of the one location manager, for as long and as finely as all clients together need it.
final class SourceControl {
  /// The state of the source, as reported by the manager.
  var status = UpstreamStatus() { didSet { if status != oldValue { waitForFinerSource() } } }

  /// The finest level at which GeoClue would serve the user of a client that is being served.
  var ceiling: () -> AccuracyLevel = { .exact }

  private let manager: LocationManager
  private var schedule: SourceSchedule
  private var choice = LevelChoice()
  /// Updates on the next turn, or when the schedule requires it.
  private var change: LoopSource?
  private var isChanging = false
  private var patience: LoopSource?
  private var review: LoopSource?
  private var question: LoopSource?
  private var askedAt: Int64?

  /// Least time between requests for the current location, however many clients want it, in microseconds.
  static let questionGap: Int64 = 1_000_000

  init(_ manager: LocationManager) {
    self.manager = manager
    schedule = SourceSchedule(linger: manager.linger)
  }

  /// Whether the source is released although clients will need it.
  private(set) var isResting = false { didSet { if isResting != oldValue { onRestingChanged() } } }
  /// Called when ``isResting`` has changed.
  var onRestingChanged: () -> Void = {}

  /// Sets what an object of a client needs; nil for nothing.
  func set(_ need: SourceSchedule.Need?, for object: ObjectIdentifier) {
    schedule.set(need, for: object)
    guard !isChanging else { return }
    isChanging = true
    // On the next turn, so that a client that stops and starts, or one call after another, causes no change.
    change = MainLoop.main.nextTurn { [weak self] in self?.update() }
  }

  /// Notes that the authorization of clients may have changed.
  func permissionsChanged() {
    guard review == nil else { return }
    // Once for all clients that change in the same turn.
    review = MainLoop.main.nextTurn { [weak self] in
      guard let self else { return }
      review = nil
      if choice.isRaised { apply() } else { waitForFinerSource() }
    }
  }

  /// Requests the current location from the source even if it has not changed; a little later if it was requested
  /// just now.
  func ask(after delay: UInt64 = 0) {
    guard question == nil else { return }
    let now = MainLoop.main.clock.monotonic()
    let earliest = max(now + Int64(clamping: delay), (askedAt ?? now - Self.questionGap) + Self.questionGap)
    question = MainLoop.main.after(microseconds: earliest - now) { [weak self] in
      guard let self else { return }
      question = nil
      guard schedule.isNeeded, !isResting else { return }
      askedAt = MainLoop.main.clock.monotonic()
      manager.requestLocation()
    }
  }

  /// Forgets the last location; after a sleep GeoClue's as well, with a new client.
  func forget(afterSleep: Bool) {
    guard afterSleep else { return manager.forgetLocation() }
    manager.startOver()
    // A source whose location never changes reports it only once, and that report is still distrusted.
    ask(after: SleepFilter.doubt)
  }

  /// Releases the source for good.
  func end() {
    (change, patience, question, review) = (nil, nil, nil, nil)
    manager.stopUpdatingLocation()
  }

  private func update() {
    isChanging = false
    let now = UInt64(max(0, MainLoop.main.clock.monotonic()))
    let (level, again) = schedule.update(at: now)
    change = again.map { again in
      MainLoop.main.at(monotonic: Int64(clamping: again)) { [weak self] in self?.update() }
    }
    choice.need(level)
    isResting = schedule.isResting
    apply()
  }

  private func apply() {
    let ceiling = choice.isRaised ? ceiling() : .exact
    guard let level = choice.level(available: status.availableAccuracy, ceiling: ceiling) else {
      patience = nil
      return schedule.isResting ? manager.pauseUpdatingLocation() : manager.stopUpdatingLocation()
    }
    manager.desiredAccuracy = level
    manager.startUpdatingLocation()
    waitForFinerSource()
  }

  private func waitForFinerSource() {
    // Check the ceiling last: it looks at every client.
    guard choice.isWaiting(status, ceiling: .exact), choice.isWaiting(status, ceiling: ceiling()) else {
      patience = nil
      return
    }
    guard patience == nil else { return }
    patience = MainLoop.main.after(milliseconds: LevelChoice.patience) { [weak self] in
      guard let self else { return }
      patience = nil
      choice.raise()
      apply()
    }
  }
}
