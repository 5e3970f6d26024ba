// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop
import Publicist

/// Holds the one location manager's source while and as finely as the clients together need it.
final class SourceControl {
  /// What the manager says about its source.
  var status = UpstreamStatus() { didSet { if status != oldValue { waitForFinerSource() } } }

  /// The finest level at which GeoClue would serve the user of a client that is being served.
  var ceiling: () -> AccuracyLevel = { .exact }

  private let manager: LocationManager
  private var schedule: SourceSchedule
  private var choice = LevelChoice()
  /// On the next turn, or when the schedule wants it.
  private var change: LoopSource?
  private var isChanging = false
  private var patience: LoopSource?
  private var review: LoopSource?
  private var question: LoopSource?
  private var askedAt: Int64?

  /// How far apart the source is asked for what it has, however many clients want it, microseconds.
  static let questionGap: Int64 = 1_000_000

  init(_ manager: LocationManager) {
    self.manager = manager
    schedule = SourceSchedule(linger: manager.linger)
  }

  /// Whether the source is released although clients will need it.
  private(set) var isResting = false { didSet { if isResting != oldValue { onRestingChanged() } } }
  /// Called when ``isResting`` has changed.
  var onRestingChanged: () -> Void = {}

  /// Sets what an object of a client needs; nil is nothing.
  func set(_ need: SourceSchedule.Need?, for object: ObjectIdentifier) {
    schedule.set(need, for: object)
    guard !isChanging else { return }
    isChanging = true
    // On the next turn: a client that stops and starts, or a call that follows another, is no change at all.
    change = MainLoop.main.nextTurn { [weak self] in self?.update() }
  }

  /// What clients may have has changed, perhaps.
  func permissionsChanged() {
    guard review == nil else { return }
    // Once for all clients that change together.
    review = MainLoop.main.nextTurn { [weak self] in
      guard let self else { return }
      review = nil
      if choice.isRaised { apply() } else { waitForFinerSource() }
    }
  }

  /// Asks the source to hand over what it has, though nothing may have changed; soon, if it was asked only just now.
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
    // A source whose place never changes reports it only once, while it is still doubted.
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
    // The ceiling is looked at last: it takes a look at every client.
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
