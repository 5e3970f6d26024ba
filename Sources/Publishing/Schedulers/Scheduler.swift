// SPDX-License-Identifier: Apache-2.0
/// Runs work later: as soon as possible, at a time, or periodically.
///
/// A scheduler runs work in the isolation region that scheduled it. This module never carries values to another thread.
public protocol Scheduler<SchedulerTimeType> {
  /// A point in time on the scheduler's clock.
  associatedtype SchedulerTimeType: Strideable where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible
  /// Options for a single piece of work.
  associatedtype SchedulerOptions

  var now: SchedulerTimeType { get }

  /// The smallest tolerance that the scheduler supports.
  var minimumTolerance: SchedulerTimeType.Stride { get }

  /// Runs work as soon as possible.
  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)

  /// Runs work at a time, or within `tolerance` after it.
  func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void)

  /// Runs work at a time and then every `interval` until the returned object is cancelled.
  func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable
}

/// Uses no options and the smallest tolerance.
extension Scheduler {
  public func schedule(_ action: @escaping () -> Void) { schedule(options: nil, action) }

  public func schedule(after date: SchedulerTimeType, _ action: @escaping () -> Void) {
    schedule(after: date, tolerance: minimumTolerance, options: nil, action)
  }

  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, _ action: @escaping () -> Void
  ) {
    schedule(after: date, tolerance: tolerance, options: nil, action)
  }

  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, _ action: @escaping () -> Void
  ) -> any Cancellable {
    schedule(after: date, interval: interval, tolerance: minimumTolerance, options: nil, action)
  }

  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    schedule(after: date, interval: interval, tolerance: tolerance, options: nil, action)
  }
}

/// A time span that can be created from seconds and fractions of seconds.
public protocol SchedulerTimeIntervalConvertible {
  /// Returns a span of whole seconds.
  static func seconds(_ s: Int) -> Self
  /// Returns a span of seconds.
  static func seconds(_ s: Double) -> Self
  /// Returns a span of milliseconds.
  static func milliseconds(_ ms: Int) -> Self
  /// Returns a span of microseconds.
  static func microseconds(_ us: Int) -> Self
  /// Returns a span of nanoseconds.
  static func nanoseconds(_ ns: Int) -> Self
}
