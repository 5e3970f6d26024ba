// SPDX-License-Identifier: Apache-2.0
import Glibc
import MainLoop
import Testing

@Suite struct LoopClockTests {
  @Test func `the system clocks are the kernel's`() {
    func kernel(_ clock: clockid_t) -> Int64 {
      var time = timespec()
      clock_gettime(clock, &time)
      return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
    let clock = LoopClock.system
    #expect((kernel(CLOCK_MONOTONIC)...kernel(CLOCK_MONOTONIC) + 1_000_000).contains(clock.monotonic()))
    #expect((kernel(CLOCK_BOOTTIME)...kernel(CLOCK_BOOTTIME) + 1_000_000).contains(Int64(clock.boottime())))
    #expect((kernel(CLOCK_REALTIME)...kernel(CLOCK_REALTIME) + 1_000_000).contains(Int64(clock.realtime())))
  }

  @Test func `monotonic time does not go back`() {
    var last = monotonic
    for _ in 0..<1_000 {
      let now = monotonic
      #expect(now >= last)
      last = now
    }
  }

  @Test func `tests may replace the clocks`() {
    let original = MainLoop.main.clock
    defer { MainLoop.main.clock = original }
    var time: Int64 = 5
    MainLoop.main.clock = LoopClock(monotonic: { time }, boottime: { UInt64(time) + 1 }, realtime: { 7 })
    #expect(MainLoop.main.clock.monotonic() == 5)
    time = 100
    #expect(MainLoop.main.clock.monotonic() == 100)
    #expect(MainLoop.main.clock.boottime() == 101)
    #expect(MainLoop.main.clock.realtime() == 7)
  }
}

/// The kernel's monotonic clock in microseconds.
var monotonic: Int64 { LoopClock.system.monotonic() }
