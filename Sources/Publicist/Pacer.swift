// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop

/// Applies the thresholds of one subscription with a ``DeliveryRule`` and its timer.
///
/// Outlives the chains that the subscription builds, so that thresholds can change while a chain runs.
package final class Pacer {
  /// Called when ``need(at:)`` may have changed.
  package var onNeedChanged: () -> Void = {}

  private var rule = DeliveryRule()
  private var wait = SourceWait()
  private var timer: LoopSource?
  private var output: ((Location) -> Void)?

  /// Creates a pacer that passes everything once it is open.
  package init() {}

  /// Starts over with the locations of another chain: the next one is the first.
  package func open(_ output: @escaping (Location) -> Void) {
    self.output = output
    wait = SourceWait(at: now)
    perform(rule.reset())
  }

  /// Stops passing locations and drops the waiting one.
  package func close() {
    output = nil
    perform(rule.reset())
  }

  package func configure(_ configuration: DeliveryRule.Configuration) {
    perform(rule.configure(configuration, at: now))
    onNeedChanged()
  }

  /// Passes on a location now, later or never.
  package func take(_ location: Location) {
    let now = now
    if rule.receivedAndSent(location, at: now) {
      output?(location)
    } else {
      wait.received(location, rule.configuration, at: now)
      perform(rule.received(location, at: now))
      onNeedChanged()
    }
  }

  /// Drops the waiting location, because the device may move unseen: the source was released, or the machine has slept.
  /// A significant change that waited is determined again when it may be delivered.
  package func drop() {
    let actions = rule.drop()
    if actions.contains(.disarmTimer), rule.configuration.isSignificant { wait.check(at: rule.mayDeliverFrom) }
    perform(actions)
    onNeedChanged()
  }

  /// Counts the thresholds from now, because the last location of the output had to wait.
  package func sentLate() {
    perform(rule.sentLate(at: now))
    onNeedChanged()
  }

  /// Makes the next periodic check due now, because the device may have moved.
  package func checkNow() {
    wait.check(at: now)
    onNeedChanged()
  }

  /// Returns what this subscription needs from the source at a level.
  package func need(at level: AccuracyLevel) -> SourceSchedule.Need { wait.need(rule, at: level) }

  private var now: MonotonicInstant { MainLoop.main.clock.monotonic() }

  private func perform(_ actions: [DeliveryRule.Action]) {
    for action in actions {
      switch action {
      case .deliver(let location): output?(location)
      case .armTimer(let time):
        timer = MainLoop.main.at(time) { [weak self] in
          guard let self else { return }
          perform(rule.timerFired(at: now))
          onNeedChanged()
        }
      case .disarmTimer: timer = nil
      }
    }
  }
}
