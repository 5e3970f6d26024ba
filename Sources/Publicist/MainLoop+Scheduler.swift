// SPDX-License-Identifier: Apache-2.0
import MainLoop
import Publishing

/// The loop as a scheduler of publishers: everything runs on its one thread, in a later turn, never inside the call.
///
/// The main actor's isolation is what keeps other threads out.
extension MainLoop: Scheduler {
  /// There are no options.
  public typealias SchedulerOptions = Never

  /// The kernel's monotonic clock, which the timers follow.
  public var now: SchedulerTimeType { SchedulerTimeType(microseconds: LoopClock.system.monotonic()) }

  /// None of the loop's own; up to GLib 2.78 the kernel is asked to wait in whole milliseconds.
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  /// Runs the action on the next turn, after what was scheduled before.
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

  /// Runs the action at a time and then every `interval`, until what is returned is cancelled or let go.
  ///
  /// Each moment is counted from the first one: there is no drift; those that are missed are left out.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: Never?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    every(microseconds: interval.microseconds, first: date.microseconds, action)
  }

  /// Makes a source that nobody owns, and which therefore keeps itself until it has called back.
  private func keep(_ make: (_ done: @escaping () -> Void) -> LoopSource) {
    var source: LoopSource?
    source = make { source = nil }
    // Written, never read: it is there to be held.
    _ = source
  }
}

extension LoopSource: Cancellable {}
