// SPDX-License-Identifier: Apache-2.0
import MainLoop
import Publishing

/// The loop as a scheduler of publishers. Actions run on its thread in a later turn, never inside the call.
///
/// Main-actor isolation keeps other threads out.
extension MainLoop: Scheduler {
  /// The scheduler has no options.
  public typealias SchedulerOptions = Never

  /// The kernel's monotonic clock, which the timers follow.
  public var now: SchedulerTimeType { SchedulerTimeType(microseconds: LoopClock.system.monotonic()) }

  /// Zero, although GLib up to 2.78 waits in whole milliseconds.
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  /// Runs the action in the next turn, after earlier ones.
  public func schedule(options: Never?, _ action: @escaping () -> Void) {
    keep { done in
      nextTurn {
        done()
        action()
      }
    }
  }

  /// Runs the action at a time.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?, _ action: @escaping () -> Void
  ) {
    keep { done in
      at(monotonic: date.microseconds) {
        done()
        action()
      }
    }
  }

  /// Runs the action at a time and then every `interval`, until the returned object is cancelled or released.
  ///
  /// Each time is counted from the first one, so there is no drift. Missed times are skipped.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: Never?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    every(microseconds: interval.microseconds, first: date.microseconds, action)
  }

  /// Creates a source without an owner, which keeps itself until it has called back.
  private func keep(_ make: (_ done: @escaping () -> Void) -> LoopSource) {
    var source: LoopSource?
    source = make { source = nil }
    // Written but never read: it keeps the source alive.
    _ = source
  }
}

extension LoopSource: Cancellable {}
