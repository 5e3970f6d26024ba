// SPDX-License-Identifier: Apache-2.0
/// A point in time of one clock. Instants of different clocks cannot be mixed.
///
/// Arithmetic does not trap on outside input: numbers from outside are microseconds in 64 bits, and the range of a
/// `Duration` is a million times larger.
@frozen public struct Instant<Clock>: Comparable, Hashable, Sendable {
  /// The time since the origin of the clock, about the start of the machine.
  public let sinceOrigin: Duration

  /// Creates the instant at a time after the origin of the clock, or before it if negative.
  @inlinable public init(sinceOrigin: Duration) { self.sinceOrigin = sinceOrigin }

  /// Creates an instant from microseconds, as the kernel's clocks and the bus count them.
  @inlinable public init(microseconds: some BinaryInteger) {
    sinceOrigin = Duration(attoseconds: Int128(Int64(clamping: microseconds)) &* 1_000_000_000_000)
  }

  /// Whole microseconds since the origin, as the bus counts; 0 before it.
  @inlinable public var microseconds: UInt64 { UInt64(clamping: sinceOrigin.microseconds) }

  /// The origin of the clock. No event happens at the origin, so it can stand for no event.
  @inlinable public static var origin: Self { Self(sinceOrigin: .zero) }
  /// Later than every event.
  @inlinable public static var distantFuture: Self { Self(microseconds: Int64.max) }
  /// Earlier than every event.
  @inlinable public static var distantPast: Self { Self(microseconds: Int64.min) }

  @inlinable public static func < (left: Self, right: Self) -> Bool { left.sinceOrigin < right.sinceOrigin }
  @inlinable public static func + (time: Self, span: Duration) -> Self { Self(sinceOrigin: time.sinceOrigin + span) }
  @inlinable public static func - (time: Self, span: Duration) -> Self { Self(sinceOrigin: time.sinceOrigin - span) }
  @inlinable public static func - (end: Self, begin: Self) -> Duration { end.sinceOrigin - begin.sinceOrigin }
}

/// The clock that stops while the machine sleeps (CLOCK_MONOTONIC). Timers run on it.
public enum MonotonicClock {}
/// The clock that includes sleep (CLOCK_BOOTTIME). The age of a location is measured on it.
public enum BootClock {}

public typealias MonotonicInstant = Instant<MonotonicClock>
public typealias BootInstant = Instant<BootClock>

extension Duration {
  /// Whole microseconds, clamped to the range of `Int64`.
  @inlinable public var microseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000) }
  /// Whole milliseconds, clamped to the range of `Int64`.
  @inlinable public var milliseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000_000) }
  /// Seconds with their fraction.
  @inlinable public var seconds: Double { Double(microseconds) / 1_000_000 }
}
