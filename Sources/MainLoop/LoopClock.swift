// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// The clocks that a service needs, replaceable in tests.
///
/// Every value is in microseconds.
public struct LoopClock {
  /// Monotonic time that stops while the machine sleeps (CLOCK_MONOTONIC).
  public var monotonic: () -> Int64
  /// Monotonic time that includes sleep (CLOCK_BOOTTIME). Use it for the age of a fix.
  public var boottime: () -> UInt64
  /// Wall-clock time since 1970, which an administrator or NTP may change.
  public var realtime: () -> UInt64

  /// Creates a set of clocks. Each returns microseconds.
  public init(
    monotonic: @escaping () -> Int64, boottime: @escaping () -> UInt64, realtime: @escaping () -> UInt64
  ) {
    self.monotonic = monotonic
    self.boottime = boottime
    self.realtime = realtime
  }

  /// The kernel's clocks.
  public static let system = LoopClock(
    monotonic: { Int64(g_get_monotonic_time()) },
    boottime: { microseconds(of: CLOCK_BOOTTIME) },
    realtime: { microseconds(of: CLOCK_REALTIME) })

  private static func microseconds(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(max(0, time.tv_sec)) * 1_000_000 + UInt64(max(0, time.tv_nsec)) / 1_000
  }
}
