// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
@_exported import GeopublicistInstants

/// The clocks that a service needs, replaceable in tests.
public struct LoopClock {
  /// Monotonic time that stops while the machine sleeps (CLOCK_MONOTONIC).
  public var monotonic: () -> MonotonicInstant
  /// Monotonic time that includes sleep (CLOCK_BOOTTIME). Use it for the age of a fix.
  public var boottime: () -> BootInstant
  /// Microseconds of the wall clock since 1970, which an administrator or NTP may change.
  public var realtime: () -> UInt64

  /// Creates a set of clocks.
  public init(
    monotonic: @escaping () -> MonotonicInstant, boottime: @escaping () -> BootInstant,
    realtime: @escaping () -> UInt64
  ) {
    self.monotonic = monotonic
    self.boottime = boottime
    self.realtime = realtime
  }

  /// The kernel's clocks.
  public static let system = LoopClock(
    monotonic: { MonotonicInstant(microseconds: g_get_monotonic_time()) },
    boottime: { BootInstant(microseconds: microseconds(of: CLOCK_BOOTTIME)) },
    realtime: { microseconds(of: CLOCK_REALTIME) })

  /// How long the machine has slept altogether. May be negative by a few microseconds, because the clocks are read one
  /// after the other.
  package var timeAsleep: Duration { boottime().sinceOrigin - monotonic().sinceOrigin }

  /// Returns when the monotonic clock reaches a time of the boot clock, as if the machine did not sleep in between.
  public func monotonic(at time: BootInstant) -> MonotonicInstant { monotonic() + (time - boottime()) }

  /// Returns the time of the boot clock at a time of the monotonic clock, as if the machine did not sleep in between.
  public func boottime(at time: MonotonicInstant) -> BootInstant { boottime() + (time - monotonic()) }

  private static func microseconds(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(max(0, time.tv_sec)) * 1_000_000 + UInt64(max(0, time.tv_nsec)) / 1_000
  }
}
