// SPDX-License-Identifier: Apache-2.0
import MainLoop
import Testing

@testable import GeopublicistService

@Suite struct SleepMeterTests {
  private func clock(boottime: UInt64, monotonic: Int64) -> LoopClock {
    LoopClock(monotonic: { monotonic }, boottime: { boottime }, realtime: { 0 })
  }

  /// Whether each pair of times, in microseconds, tells of a sleep since the one before.
  private func sleeps(_ times: [(boottime: UInt64, monotonic: Int64)]) -> [Bool] {
    var meter = SleepMeter(clock(boottime: 5_000_000, monotonic: 5_000_000))
    var sleeps: [Bool] = []
    for time in times { sleeps.append(meter.hasGrown(clock(boottime: time.boottime, monotonic: time.monotonic))) }
    return sleeps
  }

  @Test(arguments: [-3, -1, 0, 5] as [Int64])
  func `D19: clocks that are read one after the other are no sleep`(difference: Int64) {
    #expect(sleeps([(9_000_000, 9_000_000 - difference), (9_500_000, 9_500_000)]) == [false, false])
  }

  @Test func `a sleep is noticed once`() {
    #expect(
      sleeps([(65_000_000, 6_000_000), (66_000_000, 7_000_000), (69_000_000, 7_500_000)]) == [true, false, true])
  }
}
