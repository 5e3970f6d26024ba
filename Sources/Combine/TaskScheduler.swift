// SPDX-License-Identifier: Apache-2.0
/// Runs work on the main actor by tasks, for programs without a main loop of GLib or Foundation.
///
/// It takes the place of `DispatchQueue.main` and `RunLoop.main`:
///
/// ```swift
/// search.debounce(for: .seconds(0.5), scheduler: TaskScheduler.main).sink { show($0) }
/// ```
///
/// Work that is due at the same time runs in order. Times are those of the continuous clock.
@MainActor public struct TaskScheduler: @MainActor Scheduler {
  /// The scheduler of the main actor.
  public static let main = TaskScheduler()

  /// There are no options.
  public typealias SchedulerOptions = Never

  /// A point in time of the continuous clock.
  public nonisolated struct SchedulerTimeType: Strideable, Hashable, Sendable {
    /// The time of the continuous clock.
    public var instant: ContinuousClock.Instant

    /// Creates the point in time.
    public init(_ instant: ContinuousClock.Instant) { self.instant = instant }

    public func distance(to other: Self) -> Stride { Stride(instant.duration(to: other.instant)) }
    public func advanced(by span: Stride) -> Self { Self(instant.advanced(by: span.duration)) }
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.instant < rhs.instant }
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.instant == rhs.instant }

    /// A span of time; literals are seconds.
    public struct Stride: SchedulerTimeIntervalConvertible, SignedNumeric, Comparable, Hashable, Sendable,
      ExpressibleByFloatLiteral
    {
      /// The length.
      public var duration: Duration

      /// Creates a span.
      public init(_ duration: Duration) { self.duration = duration }
      public init(integerLiteral seconds: Int) { self.init(.seconds(seconds)) }
      public init(floatLiteral seconds: Double) { self.init(.seconds(seconds)) }
      public init?<Source: BinaryInteger>(exactly seconds: Source) { self.init(.seconds(seconds)) }

      public var magnitude: Double { abs(duration / .seconds(1)) }

      public static func seconds(_ s: Int) -> Self { Self(.seconds(s)) }
      public static func seconds(_ s: Double) -> Self { Self(.seconds(s)) }
      public static func milliseconds(_ ms: Int) -> Self { Self(.milliseconds(ms)) }
      public static func microseconds(_ us: Int) -> Self { Self(.microseconds(us)) }
      public static func nanoseconds(_ ns: Int) -> Self { Self(.nanoseconds(ns)) }

      public static func < (lhs: Self, rhs: Self) -> Bool { lhs.duration < rhs.duration }
      public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.duration + rhs.duration) }
      public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.duration - rhs.duration) }
      /// Multiplies the two numbers of seconds, one of which should be a plain factor.
      public static func * (lhs: Self, rhs: Self) -> Self {
        Self(.seconds((lhs.duration / .seconds(1)) * (rhs.duration / .seconds(1))))
      }
      public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
    }
  }

  public var now: SchedulerTimeType { SchedulerTimeType(.now) }
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  public func schedule(options: Never?, _ action: @escaping () -> Void) { Task { action() } }

  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?, _ action: @escaping () -> Void
  ) {
    let index = Self.waiting.firstIndex { $0.date > date } ?? Self.waiting.endIndex
    Self.waiting.insert((date, action), at: index)
    Task {
      try? await Task.sleep(until: date.instant, tolerance: tolerance.duration)
      // Tasks that wake up at the same time may run in any order.
      while let next = Self.waiting.first, next.date <= date {
        Self.waiting.removeFirst()
        next.action()
      }
    }
  }

  /// The work that waits for its time, in order.
  private static var waiting: [(date: SchedulerTimeType, action: () -> Void)] = []

  /// Runs the action at a time and then every `interval`, of at least a tenth of a millisecond, counted from the first
  /// time, so that there is no drift. Missed times are skipped.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: Never?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    let interval = max(interval.duration, .microseconds(100))
    let task = Task {
      var next = date
      while true {
        do { try await Task.sleep(until: next.instant, tolerance: tolerance.duration) } catch { return }
        // A cancellation after the sleep has ended counts as well.
        if Task.isCancelled { return }
        action()
        let late = max(.zero, now.instant - next.instant)
        next = SchedulerTimeType(next.instant + interval * ((late / interval).rounded(.down) + 1))
      }
    }
    return AnyCancellable { task.cancel() }
  }
}
