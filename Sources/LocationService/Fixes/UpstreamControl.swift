import GeopublicistLocationModel
import MainLoop
import Publicist

/// Starts and stops the one location manager, at the level that all listeners together need.
final class UpstreamControl {
  /// What the manager says of its source.
  var status = UpstreamStatus() { didSet { if status != oldValue { waitForFinerSource() } } }

  private let manager: LocationManager
  private var demand = Demand()
  private var choice = LevelChoice()
  private var change: LoopSource?
  private var patience: LoopSource?

  init(_ manager: LocationManager) { self.manager = manager }

  /// Moves one listener's need from one level to another; nil is none.
  func move(from old: AccuracyLevel?, to new: AccuracyLevel?) {
    demand.move(from: old, to: new)
    // On the next turn: a client who stops and starts, or a call that follows another, is no change at all.
    if change == nil { change = MainLoop.main.nextTurn { [weak self] in self?.demandChanged() } }
  }

  /// Asks the source to hand over what it has, though nothing may have changed.
  func askForFix() { if demand.level != nil { manager.requestLocation() } }

  /// Forgets the last location; after a sleep GeoClue's as well, by beginning anew with it.
  func forget(afterSleep: Bool) {
    if afterSleep { manager.startOver() } else { manager.forgetLocation() }
  }

  /// Gives the source back.
  func end() {
    change = nil
    patience = nil
    manager.stopUpdatingLocation()
  }

  private func demandChanged() {
    change = nil
    choice.need(demand.level)
    apply()
  }

  private func apply() {
    guard let level = choice.level(available: status.availableAccuracy) else {
      patience = nil
      return manager.stopUpdatingLocation()
    }
    manager.desiredAccuracy = level
    manager.startUpdatingLocation()
    waitForFinerSource()
  }

  private func waitForFinerSource() {
    guard choice.isWaiting(status) else {
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
