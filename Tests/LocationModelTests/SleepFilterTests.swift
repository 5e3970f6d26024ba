// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistTestSupport
import Testing

@Suite struct SleepFilterTests {
  private func location(_ seconds: UInt64) -> Location {
    Location(latitude: 52, longitude: 13, timestamp: Timestamp(seconds: seconds, microseconds: 0))
  }

  @Test func `a location that was old when it arrived does not hide that a later one is from before the sleep`() {
    var filter = SleepFilter()
    #expect(filter.passes(location(1_000), at: 0) == true)
    // Measured 28 s before it arrived.
    #expect(filter.passes(location(1_012), at: 40_000_000) == true)
    filter.woke(at: 43_000_000)
    #expect(filter.passes(location(1_039), at: 43_100_000) == false)
    #expect(filter.passes(location(1_044), at: 44_000_000) == true)
  }

  /// Regression: the first location of a new service was from before an earlier sleep, so a second one was, too.
  @Test func `a single location does not show which clock its source follows`() {
    var filter = SleepFilter()
    #expect(filter.passes(location(1_000), at: 9_000_000_000) == true)
    filter.woke(at: 9_050_000_000, Timestamp(seconds: 10_050))
    #expect(filter.passes(location(10_019), at: 9_050_100_000) == false)
    #expect(filter.passes(location(10_051), at: 9_051_000_000) == true)
  }

  @Test(
    arguments: [(set: 4_060, old: 4_029, new: 4_060), (set: 560, old: 1_029, new: 1_059)] as [(UInt64, UInt64, UInt64)])
  func `after the clock was set, locations by the old and by the new clock are compared`(
    set: UInt64, old: UInt64, new: UInt64
  ) {
    var filter = SleepFilter()
    #expect(filter.passes(location(1_000), at: 1_000_000) == true)
    filter.clockWasSet()
    filter.woke(at: 60_000_000, Timestamp(seconds: set))
    #expect(filter.passes(location(old), at: 60_100_000) == false)
    #expect(filter.passes(location(new), at: 60_200_000) == true)
  }

  @Test func `locations that arrive after the clock was set show which clock their source follows`() {
    var filter = SleepFilter()
    #expect(filter.passes(location(999), at: 0) == true)
    filter.clockWasSet()
    #expect(filter.passes(location(1_000), at: 1_000_000) == true)
    filter.woke(at: 60_000_000, Timestamp(seconds: 4_060))
    #expect(filter.passes(location(1_060), at: 60_200_000) == true)
  }

  @Test func `the last location from before a sleep never passes, even if the clock was set back`() throws {
    var filter = SleepFilter()
    // Its time is in the future then, so each report of it is valid at its arrival.
    func report(at seconds: Int64, _ wallClock: UInt64) throws -> Location {
      try LocationValidator.location(
        from: location(5_000), receivedAt: BootInstant(microseconds: seconds * 1_000_000),
        wallClock: Timestamp(seconds: wallClock))
    }
    #expect(filter.passes(try report(at: 1, 5_000), at: 1_000_000) == true)
    filter.clockWasSet()
    #expect(filter.passes(try report(at: 8, 3_007), at: 8_000_000) == true)
    filter.woke(at: 60_000_000, Timestamp(seconds: 3_059))
    for second in [61, 62, 70] as [UInt64] {
      let arrival = BootInstant(microseconds: Int64(second) * 1_000_000)
      #expect(filter.passes(try report(at: Int64(second), 3_000 + second), at: arrival) == false)
    }
    #expect(filter.passes(location(3_071), at: 72_000_000) == false, "it may be older")
    #expect(filter.passes(location(3_077), at: 78_000_000) == true)
  }

  @Test func `after a sleep, a source whose clock was set back is believed again`() {
    var filter = SleepFilter()
    #expect(filter.passes(location(1_000), at: 0) == true)
    filter.woke(at: 10_000_000)
    #expect(filter.passes(location(500), at: 11_000_000) == false)
    #expect(filter.passes(location(506), at: 17_000_000) == true)
    filter.woke(at: 20_000_000)
    #expect(filter.passes(location(510), at: 21_000_000) == true)
  }

  @Test func `after a suspend, new locations from a source with a slow clock pass`() {
    var filter = SleepFilter()
    let slow: UInt64 = 3_600
    #expect(filter.passes(location(9_999 - slow), at: 0) == true)
    #expect(filter.passes(location(10_000 - slow), at: 1_000_000) == true)
    filter.woke(at: 2_000_000, Timestamp(seconds: 20_000))
    #expect(filter.passes(location(10_000 - slow), at: 2_100_000) == false, "it is from before the sleep")
    #expect(filter.passes(location(20_000 - slow), at: 2_200_000) == true)
  }

  @Test func `a location that was measured between the last one and a suspend does not pass`() {
    var filter = SleepFilter()
    #expect(filter.passes(location(1_000), at: 1_000_000_000) == true)
    filter.woke(at: 1_600_000_000, Timestamp(seconds: 1_600))
    #expect(filter.passes(location(1_060), at: 1_600_500_000) == false, "another program has caused it")
    filter.woke(at: 1_601_000_000, Timestamp(seconds: 1_601))
    #expect(filter.passes(location(1_599), at: 1_601_500_000) == false)
    #expect(filter.passes(location(1_601), at: 1_601_900_000) == true)
  }

  @Test func `without an earlier location, the wall clock decides for a few seconds after a suspend`() {
    var filter = SleepFilter()
    filter.woke(at: 2_000_000, Timestamp(seconds: 20_000))
    #expect(filter.passes(location(19_999), at: 2_100_000) == false)
    #expect(filter.passes(location(20_000), at: 2_200_000) == true)
    filter = SleepFilter()
    filter.woke(at: 3_000_000, Timestamp(seconds: 30_000))
    #expect(filter.passes(location(20_000), at: 20_000_000) == false)
    #expect(filter.passes(location(20_001), at: 20_000_000 + SleepFilter.doubt) == true)
  }

  @Test func `a location that was rejected after a suspend never passes`() {
    var filter = SleepFilter()
    filter.woke(at: 3_000_000, Timestamp(seconds: 30_000))
    #expect(filter.passes(location(29_999), at: 20_000_000) == false)
    #expect(filter.passes(location(29_999), at: 30_000_000) == false)
    #expect(filter.passes(location(30_010), at: 31_000_000) == true)
  }

  @Test func `a rejected location does not let the last one from before a suspend pass`() {
    var filter = SleepFilter()
    #expect(filter.passes(location(20), at: 1_000_000) == true)
    filter.woke(at: 2_000_000)
    #expect(filter.passes(location(15), at: 3_000_000) == false)
    #expect(filter.passes(location(20), at: 9_000_000) == false)
    #expect(filter.passes(location(15), at: 9_000_000) == false)
  }

  @Test func `a static location passes after a suspend`() {
    var filter = SleepFilter()
    var place = location(10)
    place.source = .static
    #expect(filter.passes(place, at: 1_000_000) == true)
    filter.woke(at: 2_000_000, Timestamp(seconds: 20_000))
    #expect(filter.passes(place, at: 3_000_000) == true)
  }

  @Test func `the last location from before a suspend never passes`() {
    var filter = SleepFilter()
    #expect(filter.passes(location(10), at: 1_000_000) == true)
    filter.woke(at: 2_000_000)
    filter.woke(at: 3_000_000)
    #expect(filter.passes(location(10), at: 7_900_000) == false)
    #expect(filter.passes(location(10), at: 8_000_000) == false)
    #expect(filter.passes(location(12), at: 8_100_000) == true)
  }

  @Test func `if there is neither an earlier location nor a wall clock, every location passes after a suspend`() {
    var filter = SleepFilter()
    filter.woke(at: 2_000_000)
    #expect(filter.passes(location(1), at: 2_000_001) == true)
  }
}
