// SPDX-License-Identifier: Apache-2.0
import Foundation
import Publishing

/// Runs work on the run loop, in its default mode. The program must run it: `RunLoop.main.run()`.
extension RunLoop: Scheduler {
  public typealias SchedulerTimeType = FoundationTime

  /// There are no options.
  public struct SchedulerOptions {}

  public var now: FoundationTime { FoundationTime(Date()) }
  public var minimumTolerance: FoundationStride { 0 }

  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    nonisolated(unsafe) let action = action
    perform { action() }
  }

  public func schedule(
    after date: FoundationTime, tolerance: FoundationStride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    nonisolated(unsafe) let action = action
    // `Timer(timeInterval:repeats:)` fires immediately on Linux; a fire date is respected.
    add(Timer(fire: date.date, interval: 0, repeats: false) { _ in action() }, forMode: .default)
  }

  public func schedule(
    after date: FoundationTime, interval: FoundationStride, tolerance: FoundationStride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    nonisolated(unsafe) let action = action
    let timer = Timer(fire: date.date, interval: interval.timeInterval, repeats: true) { _ in action() }
    add(timer, forMode: .default)
    return AnyCancellable { timer.invalidate() }
  }
}
