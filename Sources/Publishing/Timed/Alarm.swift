// SPDX-License-Identifier: Apache-2.0
/// An alarm on a scheduler. It can be set repeatedly and fires once, for the last setting.
@usableFromInline
final class Alarm<Context: Scheduler> {
  @usableFromInline let scheduler: Context
  @usableFromInline let options: Context.SchedulerOptions?
  @usableFromInline var action: (() -> Void)?
  @usableFromInline var timer: (any Cancellable)?
  /// The number of the current setting. Timers of older settings do not fire.
  @usableFromInline var setting: UInt = 0
  @usableFromInline var isSet = false

  @inlinable
  init(_ scheduler: Context, _ options: Context.SchedulerOptions?) {
    self.scheduler = scheduler
    self.options = options
  }

  /// Sets the alarm to fire after `interval`, replacing any earlier setting.
  @inlinable
  func set(_ interval: Context.SchedulerTimeType.Stride) {
    unset()
    let setting = self.setting
    isSet = true
    let timer = scheduler.schedule(
      after: scheduler.now.advanced(by: interval), interval: interval, tolerance: scheduler.minimumTolerance,
      options: options
    ) { [self] in goOff(setting) }
    // A scheduler may run the action before `schedule` returns, and the action may have set the alarm again.
    if isSet, setting == self.setting { self.timer = timer } else { timer.cancel() }
  }

  @inlinable
  func goOff(_ setting: UInt) {
    guard isSet, setting == self.setting else { return }
    unset()
    action?()
  }

  @inlinable
  func unset() {
    setting &+= 1
    isSet = false
    let last = timer
    timer = nil
    last?.cancel()
  }

  /// Cancels the alarm permanently.
  @inlinable
  func stop() {
    unset()
    action = nil
  }
}
