// SPDX-License-Identifier: Apache-2.0
import Glibc
import MainLoop
import Testing

@Suite struct LoopClockTests {
  @Test func `the loop's clocks agree with the kernel's clocks`() {
    func kernel(_ clock: clockid_t) -> Int64 {
      var time = timespec()
      clock_gettime(clock, &time)
      return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
    let clock = LoopClock.system
    #expect(
      (kernel(CLOCK_MONOTONIC)...kernel(CLOCK_MONOTONIC) + 1_000_000).contains(Int64(clock.monotonic().microseconds)))
    #expect(
      (kernel(CLOCK_BOOTTIME)...kernel(CLOCK_BOOTTIME) + 1_000_000).contains(Int64(clock.boottime().microseconds)))
    #expect((kernel(CLOCK_REALTIME)...kernel(CLOCK_REALTIME) + 1_000_000).contains(Int64(clock.realtime())))
  }

  @Test func `the monotonic clock does not go back`() {
    var last = monotonic
    for _ in 0..<1_000 {
      let now = monotonic
      #expect(now >= last)
      last = now
    }
  }

  @Test func `a test can replace the clocks of the loop`() {
    let original = MainLoop.main.clock
    defer { MainLoop.main.clock = original }
    var time = MonotonicInstant(microseconds: 5)
    MainLoop.main.clock = LoopClock(
      monotonic: { time }, boottime: { BootInstant(sinceOrigin: time.sinceOrigin + .seconds(1)) }, realtime: { 7 })
    #expect(MainLoop.main.clock.monotonic().microseconds == 5)
    time = MonotonicInstant(microseconds: 100)
    #expect(MainLoop.main.clock.monotonic().microseconds == 100)
    #expect(MainLoop.main.clock.boottime().microseconds == 1_000_100)
    #expect(MainLoop.main.clock.monotonic(at: BootInstant(sinceOrigin: .seconds(3))).sinceOrigin == .seconds(2))
    #expect(MainLoop.main.clock.boottime(at: .origin).sinceOrigin == .seconds(1))
    #expect(MainLoop.main.clock.realtime() == 7)
  }
}

/// The kernel's monotonic clock in microseconds.
var monotonic: Int64 { LoopClock.system.monotonic().sinceOrigin.microseconds }
