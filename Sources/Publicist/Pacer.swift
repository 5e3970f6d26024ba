// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop

/// Applies the thresholds of one subscription with a ``DeliveryRule`` and its timer.
///
/// Outlives the chains that the subscription builds.
package final class Pacer {
  /// Called when ``need(at:)`` may have changed.
  package var onNeedChanged: () -> Void = {}

  private var rule = DeliveryRule()
  private var wait = SourceWait()
  private var timer: (time: MonotonicInstant, source: LoopSource)?
  private var onReady: (() -> Void)?
  /// Since when a location is due that cannot be sent.
  private var readySince: MonotonicInstant?
  /// Measures the sleep since the last location was sent or dropped.
  private var sleep = SleepMeter(MainLoop.main.clock)

  /// Creates a pacer that passes everything once it is open.
  package init() {}

  /// Starts over with the locations of another chain: the next one is the first. `onReady` is called when ``next()`` may
  /// return a location.
  package func open(_ onReady: @escaping () -> Void) {
    self.onReady = onReady
    _ = sleep.newSleep(MainLoop.main.clock)
    wait = SourceWait(at: now)
    rule.reset()
    settle()
  }

  /// Stops passing locations and drops the waiting one.
  package func close() {
    onReady = nil
    rule.reset()
    settle()
  }

  /// Changes the thresholds. `newest` is the newest location taken, if it may pass now.
  package func configure(_ configuration: DeliveryRule.Configuration, _ newest: Location? = nil) {
    rule.configure(configuration, newest, at: now)
    settle()
    onNeedChanged()
  }

  /// Takes a location, which is ready now, later or never.
  ///
  /// - Parameter endsCheck: Whether it ends a check for significant changes, if it is accurate enough.
  package func take(_ location: Location, endsCheck: Bool = true) {
    let now = now
    if rule.isQuiet(at: now) {
      rule.timerFired(at: now)
      settle()
      guard onReady != nil else { return }
    }
    if endsCheck { wait.received(location, rule.configuration, at: now) }
    rule.received(location, at: now)
    settle()
    if hasInterval { onNeedChanged() }
  }

  /// Counts the thresholds from a location that was delivered regardless of them, instead of one that waits. One that is
  /// less accurate than required does not count. The owner then calls ``need(at:)``.
  ///
  /// - Parameter endsCheck: Whether it also ends a check for significant changes.
  package func delivered(_ location: Location, endsCheck: Bool) {
    guard rule.configuration.accepts(location) else { return dropWaiting() }
    let now = now
    _ = sleep.newSleep(MainLoop.main.clock)
    rule.delivered(location, at: now)
    if endsCheck { wait.delivered(location, rule.configuration, at: now) }
    settle()
  }

  /// Returns the location that is due, if any. The thresholds count from now.
  package func next() -> Location? {
    let location = rule.next(at: now)
    if location != nil { _ = sleep.newSleep(MainLoop.main.clock) }
    readySince = nil
    if hasInterval { onNeedChanged() }
    return location
  }

  /// Whether ``next()`` returns a location.
  package var isReady: Bool { rule.isReady }

  /// The location that waits until it is due or can be sent; nil if none waits.
  package var waiting: Location? { rule.waiting }

  /// Drops the waiting location, because the device may move unseen: the source was released, or the machine has slept.
  /// A significant change that waited is determined again when it may be delivered.
  package func drop() {
    dropWaiting()
    onNeedChanged()
  }

  private func dropWaiting() {
    rule.slept(for: sleep.newSleep(MainLoop.main.clock))
    if rule.deadline != nil, rule.configuration.isSignificant { wait.check(at: max(now, rule.mayDeliverFrom)) }
    rule.drop()
    settle()
  }

  /// Makes the next periodic check due now, because the device may have moved.
  package func checkNow() {
    wait.check(at: now)
    onNeedChanged()
  }

  /// Returns what this subscription needs from the source at a level.
  package func need(at level: AccuracyLevel) -> SourceSchedule.Need {
    var need = wait.need(rule, at: level)
    need.dueAt = readySince ?? quietAt
    return need
  }

  /// When the quiet time of the location that waits ends, if nothing else delays that.
  private var quietAt: MonotonicInstant? {
    let debounce = rule.configuration.debounce
    guard let time = rule.deadline, debounce > .zero, time - debounce <= now + SourceSchedule.restAfter else {
      return nil
    }
    return time
  }

  /// Whether the need for the source depends on when locations arrive and are sent.
  private var hasInterval: Bool { rule.configuration.interval > .zero }

  private var now: MonotonicInstant { MainLoop.main.clock.monotonic() }

  private func settle() {
    if rule.deadline != timer?.time {
      timer = rule.deadline.map { time in (time, MainLoop.main.at(time) { [weak self] in self?.timeHasCome() }) }
    }
    readySince = rule.isReady ? readySince ?? now : nil
    if rule.isReady { onReady?() }
  }

  private func timeHasCome() {
    timer = nil
    rule.timerFired(at: now)
    settle()
    onNeedChanged()
  }
}
