// SPDX-License-Identifier: Apache-2.0
import Foundation
import Publishing

/// Runs work on the run loop, in its default mode.
///
/// `RunLoop.main` runs its work on `DispatchQueue.main`, in every mode, because GLib's main loop serves that queue as
/// well (`serveTasks()` of `MainLoopTasks`). The program must run one of these: `RunLoop.main.run()`, `dispatchMain()`,
/// an `async` main function or GLib's main loop.
extension RunLoop: Scheduler {
  public typealias SchedulerTimeType = FoundationTime

  /// There are no options.
  public struct SchedulerOptions {}

  public var now: FoundationTime { FoundationTime(Date()) }
  public var minimumTolerance: FoundationStride { 0 }

  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    nonisolated(unsafe) let action = action
    if self == .main { DispatchQueue.main.schedule(options: nil, action) } else { perform { action() } }
  }

  public func schedule(
    after date: FoundationTime, tolerance: FoundationStride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    nonisolated(unsafe) let action = action
    guard self != .main else {
      return DispatchQueue.main.schedule(after: Self.time(of: date.date), tolerance: tolerance, options: nil, action)
    }
    // `Timer(timeInterval:repeats:)` fires immediately on Linux; a fire date is respected.
    add(Timer(fire: date.date, interval: 0, repeats: false) { _ in action() }, forMode: .default)
  }

  public func schedule(
    after date: FoundationTime, interval: FoundationStride, tolerance: FoundationStride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    repeatAction(from: date.date, every: interval.timeInterval, tolerance: nil, in: .default, action)
  }

  /// Calls the action at a date, and then every `interval` seconds until cancelled.
  func repeatAction(
    from date: Date, every interval: TimeInterval, tolerance: TimeInterval?, in mode: Mode,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    guard self != .main else {
      return DispatchQueue.main.schedule(
        after: Self.time(of: date), interval: FoundationStride(interval), tolerance: FoundationStride(tolerance ?? 0),
        options: nil, action)
    }
    nonisolated(unsafe) let action = action
    let timer = Timer(fire: date, interval: interval, repeats: true) { _ in action() }
    if let tolerance { timer.tolerance = tolerance }
    add(timer, forMode: mode)
    return AnyCancellable { timer.invalidate() }
  }

  /// Returns the time of Dispatch's clock at a date, now if the date has passed.
  private static func time(of date: Date) -> DispatchQueue.SchedulerTimeType {
    DispatchQueue.main.now.advanced(by: FoundationStride(max(0, date.timeIntervalSinceNow)))
  }
}
