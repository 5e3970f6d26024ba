// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop
import Publicist

/// Requests the source from the location manager for as long and as precisely as all clients together require.
final class SourceControl {
  var status = SourceStatus() { didSet { if status != oldValue { statusChanged() } } }

  /// The finest level at which GeoClue would serve the user of a client that is being served.
  var ceiling: () -> AccuracyLevel = { .exact }

  private let manager: LocationManager
  private var schedule: SourceSchedule
  private var choice = LevelChoice()
  /// The next update: on the next turn of the loop, or when the schedule requires it.
  private var change: LoopSource?
  private var isChanging = false
  private var patience: LoopSource?
  private var review: LoopSource?
  private var question: LoopSource?
  private var askedAt: MonotonicInstant?
  /// The level that is requested from the source, or nil while it is released.
  private var requested: AccuracyLevel? {
    didSet {
      guard requested != oldValue else { return }
      if (requested == nil) != (oldValue == nil) { onHeldChanged() }
      Log.debug(requested.map { "The source is requested at level \($0.contractName)" } ?? "The source is released")
    }
  }

  /// The minimum time between requests for another measurement by all clients together.
  static let questionGap = Duration.seconds(1)

  init(_ manager: LocationManager) {
    self.manager = manager
    // The service keeps the last locations itself.
    manager.repeatsFirst = false
    schedule = SourceSchedule(linger: manager.linger, isReleased: manager.isReleasedToRest)
  }

  /// Whether the source is released although clients will need it again.
  private(set) var isResting = false { didSet { if isResting != oldValue { onRestingChanged() } } }
  var onRestingChanged: () -> Void = {}

  var isHeld: Bool { requested != nil }
  var onHeldChanged: () -> Void = {}

  /// Sets what a client's object needs, or nil for nothing.
  func set(_ need: SourceSchedule.Need?, for object: ObjectIdentifier) {
    schedule.set(need, for: object)
    guard !isChanging else { return }
    isChanging = true
    // Deferred to the next turn, so that a client that stops and restarts, or consecutive calls, cause no change.
    change = MainLoop.main.nextTurn { [weak self] in self?.update() }
  }

  /// Notes that the authorization of clients may have changed.
  func permissionsChanged() {
    guard review == nil else { return }
    // Runs once for all clients that change in the same turn of the loop.
    review = MainLoop.main.nextTurn { [weak self] in
      guard let self else { return }
      review = nil
      if choice.isRaised { apply() } else { waitForFinerSource() }
    }
  }

  /// Makes a source that has fallen silent measure again, at most once per ``questionGap``.
  func ask() {
    guard question == nil else { return }
    let now = MainLoop.main.clock.monotonic()
    question = MainLoop.main.at(max(now, askedAt.map { $0 + Self.questionGap } ?? now)) { [weak self] in
      guard let self else { return }
      question = nil
      guard schedule.isNeeded, !isResting else { return }
      askedAt = MainLoop.main.clock.monotonic()
      manager.refreshLocation()
    }
  }

  /// Forgets the last location. After a sleep, GeoClue's last location is discarded as well by recreating the GeoClue
  /// client.
  func forget(afterSleep: Bool) {
    afterSleep ? manager.startOver() : manager.forgetLocation()
  }

  /// Releases the source permanently.
  func end() {
    (change, patience, question, review) = (nil, nil, nil, nil)
    manager.stopUpdatingLocation()
  }

  private func update() {
    isChanging = false
    let (level, again) = schedule.update(at: MainLoop.main.clock.monotonic())
    if schedule.mustAsk { ask() }
    change = again.map { again in
      MainLoop.main.at(again) { [weak self] in self?.update() }
    }
    choice.need(level)
    // An outage continues over a rest, so the source must never appear to be idle because nobody needs it.
    if schedule.isResting { isResting = true }
    apply()
    isResting = schedule.isResting
  }

  private func apply() {
    let ceiling = choice.isRaised ? ceiling() : .exact
    guard let level = choice.level(available: status.availableAccuracy, ceiling: ceiling) else {
      patience = nil
      requested = nil
      return schedule.isResting ? manager.pauseUpdatingLocation() : manager.stopUpdatingLocation()
    }
    requested = level
    manager.desiredAccuracy = level
    manager.startUpdatingLocation()
    waitForFinerSource()
  }

  private func statusChanged() {
    if choice.mayRise(above: requested, status) { permissionsChanged() } else { waitForFinerSource() }
  }

  private func waitForFinerSource() {
    // Check the ceiling last, because it requires a look at every client.
    guard choice.isWaiting(status, ceiling: .exact), choice.isWaiting(status, ceiling: ceiling()) else {
      patience = nil
      return
    }
    guard patience == nil else { return }
    patience = MainLoop.main.after(LevelChoice.patience) { [weak self] in
      guard let self else { return }
      patience = nil
      choice.raise()
      apply()
    }
  }
}

/// Chooses the level to request from GeoClue, given what clients need.
///
/// GeoClue serves a level only from sources of that level or coarser. With a GPS receiver alone, a client that requests
/// `city` would never receive a location. If none arrives and a finer source exists, a finer level is requested and the
/// location is reduced here, but no finer than GeoClue itself would serve that client's user (`ceiling`). A user whose
/// agent permits only `city` therefore receives nothing from a receiver, just as with GeoClue.
nonisolated struct LevelChoice: Equatable, Sendable {
  /// How long to wait for a location at the needed level. Where only a receiver exists, each check of an
  /// almanac waits for that, and two checks an hour hold GeoClue for less than five seconds.
  static let patience = Duration.seconds(2)

  private(set) var needed: AccuracyLevel?
  private(set) var isRaised = false

  /// Returns the level to request from GeoClue.
  func level(available: AccuracyLevel?, ceiling: AccuracyLevel) -> AccuracyLevel? {
    guard let needed else { return nil }
    return isRaised ? max(needed, min(available ?? needed, ceiling)) : needed
  }

  /// Returns whether to wait for a location before requesting a finer level: none has arrived, and a finer source
  /// exists and is permitted.
  func isWaiting(_ status: SourceStatus, ceiling: AccuracyLevel) -> Bool {
    guard let needed, let available = status.availableAccuracy, !isRaised else { return false }
    return status.reason == .noFix && min(available, ceiling) > needed
  }

  /// Returns whether a finer level than the one that was requested exists by now, while no location arrives.
  func mayRise(above requested: AccuracyLevel?, _ status: SourceStatus) -> Bool {
    isRaised && status.reason == .noFix && status.availableAccuracy ?? .none > requested ?? .none
  }

  mutating func need(_ level: AccuracyLevel?) {
    if level != needed { isRaised = false }
    needed = level
  }

  /// Requests a finer level, because the wait has ended.
  mutating func raise() { isRaised = needed != nil }
}
