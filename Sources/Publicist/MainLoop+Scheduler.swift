// SPDX-License-Identifier: Apache-2.0
import MainLoop
import Publishing

/// The loop as a scheduler of publishers. Actions run on its thread in a later turn, never inside the call.
///
/// Main-actor isolation keeps other threads out.
extension MainLoop: Scheduler {
  public typealias SchedulerOptions = Never

  /// The kernel's monotonic clock, which the timers follow.
  public var now: SchedulerTimeType {
    SchedulerTimeType(microseconds: timerTime.sinceOrigin.microseconds)
  }

  /// Zero, although GLib up to 2.78 waits in whole milliseconds.
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  /// Runs the action in the next turn, after earlier ones.
  public func schedule(options: Never?, _ action: @escaping () -> Void) { nextTurn(action).keep() }

  /// Runs the action at a time.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?, _ action: @escaping () -> Void
  ) { at(MonotonicInstant(microseconds: date.microseconds), action).keep() }

  /// Runs the action at a time and then every `interval`, until the returned object is cancelled or released.
  ///
  /// Each time is counted from the first one, so there is no drift. Missed times are skipped.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: Never?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    every(.microseconds(interval.microseconds), first: MonotonicInstant(microseconds: date.microseconds), action)
  }
}

extension LoopSource: Cancellable {}

extension MainLoop {
  /// A point in time of the kernel's monotonic clock.
  nonisolated public struct SchedulerTimeType: Strideable, Hashable, Sendable {
    /// Microseconds since the clock's origin, which is about when the machine started.
    public let microseconds: Int64

    /// Creates a point that many microseconds after the clock's origin.
    public init(microseconds: Int64) { self.microseconds = microseconds }

    public func distance(to other: Self) -> Stride {
      Stride(microseconds: other.microseconds.subtractingClamped(microseconds))
    }

    public func advanced(by span: Stride) -> Self { Self(microseconds: microseconds.addingClamped(span.microseconds)) }

    public static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }
    public static func == (left: Self, right: Self) -> Bool { left.microseconds == right.microseconds }
  }
}

extension MainLoop.SchedulerTimeType {
  /// A span of time in whole microseconds. Literals are seconds: `2`, `0.5`.
  ///
  /// Its arithmetic saturates at about 292,000 years instead of trapping.
  nonisolated public struct Stride: SchedulerTimeIntervalConvertible, SignedNumeric, Comparable, Hashable, Sendable,
    ExpressibleByFloatLiteral
  {
    /// The length in microseconds; negative for a span backwards.
    public var microseconds: Int64

    /// Creates a span of that many microseconds.
    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// Seconds.
    public init(integerLiteral seconds: Int64) { self = Self(microseconds: seconds.multipliedClamped(by: 1_000_000)) }
    /// Seconds.
    public init(floatLiteral seconds: Double) { self = .seconds(seconds) }
    /// Microseconds; nil if they do not fit.
    public init?<Source: BinaryInteger>(exactly source: Source) {
      guard let microseconds = Int64(exactly: source) else { return nil }
      self.init(microseconds: microseconds)
    }

    public var magnitude: Int64 { microseconds == .min ? .max : abs(microseconds) }

    public static func seconds(_ s: Int) -> Self { Self(microseconds: Int64(s).multipliedClamped(by: 1_000_000)) }
    public static func seconds(_ s: Double) -> Self { Self(microseconds: Int64(clamping: s * 1_000_000)) }
    public static func milliseconds(_ ms: Int) -> Self { Self(microseconds: Int64(ms).multipliedClamped(by: 1_000)) }
    public static func microseconds(_ us: Int) -> Self { Self(microseconds: Int64(us)) }
    /// Rounded towards zero.
    public static func nanoseconds(_ ns: Int) -> Self { Self(microseconds: Int64(ns) / 1_000) }

    public static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }

    public static func + (left: Self, right: Self) -> Self {
      Self(microseconds: left.microseconds.addingClamped(right.microseconds))
    }
    public static func - (left: Self, right: Self) -> Self {
      Self(microseconds: left.microseconds.subtractingClamped(right.microseconds))
    }
    /// Multiplies the two numbers of microseconds, one of which should be a plain factor.
    public static func * (left: Self, right: Self) -> Self {
      Self(microseconds: left.microseconds.multipliedClamped(by: right.microseconds))
    }
    public static func += (left: inout Self, right: Self) { left = left + right }
    public static func -= (left: inout Self, right: Self) { left = left - right }
    public static func *= (left: inout Self, right: Self) { left = left * right }
    public static prefix func - (span: Self) -> Self {
      Self(microseconds: Int64(0).subtractingClamped(span.microseconds))
    }
    public mutating func negate() { self = -self }
  }
}
