// SPDX-License-Identifier: Apache-2.0
/// An alarm on a scheduler that can be set repeatedly: it goes off once, for the last time it was set.
@usableFromInline
final class Alarm<Context: Scheduler> {
  @usableFromInline let scheduler: Context
  @usableFromInline let options: Context.SchedulerOptions?
  @usableFromInline var action: (() -> Void)?
  @usableFromInline var timer: (any Cancellable)?
  /// The number of the setting that counts; a timer of an older one stays silent.
  @usableFromInline var setting: UInt = 0
  @usableFromInline var isSet = false

  @inlinable
  init(_ scheduler: Context, _ options: Context.SchedulerOptions?) {
    self.scheduler = scheduler
    self.options = options
  }

  /// Goes off `interval` from now, and no longer for any earlier setting.
  @inlinable
  func set(_ interval: Context.SchedulerTimeType.Stride) {
    unset()
    let setting = self.setting
    isSet = true
    let timer = scheduler.schedule(
      after: scheduler.now.advanced(by: interval), interval: interval, tolerance: scheduler.minimumTolerance,
      options: options
    ) { [self] in goOff(setting) }
    // A scheduler may run the action before it returns, and the action may have set the alarm again.
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

  /// Never goes off again.
  @inlinable
  func stop() {
    unset()
    action = nil
  }
}
