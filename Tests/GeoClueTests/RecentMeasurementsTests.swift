// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistTestSupport
import Testing

@testable import GeoClue

/// Which announcements are repetitions.
@Suite nonisolated struct RecentMeasurementsTests {
  private func location(_ latitude: Double, at time: BootInstant) -> Location {
    Location(latitude: latitude, longitude: 13, timestamp: Timestamp(seconds: 1_700_000_000), receivedAt: time)
  }

  @Test func `a location of another compass heading is a repetition, and the newest measurement keeps its age`() {
    var recent = RecentMeasurements()
    recent.add(location(1, at: 100))
    recent.add(location(2, at: 200))
    for latitude in [1.0, 2] {
      var repetition = location(latitude, at: 3_000_000)
      repetition.heading = 90
      #expect(recent.contains(repetition))
    }
    #expect(!recent.contains(location(3, at: 3_000_000)))
    #expect(!recent.contains(location(1, at: 1_000_000)), "the device has returned within the same second")
    #expect(recent.newest == location(2, at: 200))
  }

  @Test func `an asserted location is remembered with the time of its last assertion`() {
    var recent = RecentMeasurements()
    recent.add(location(1, at: 100))
    recent.add(location(2, at: 200))
    recent.add(location(1, at: 300))
    #expect(recent.newest?.receivedAt == 300)
  }

  @Test func `only a few measurements are remembered`() {
    var recent = RecentMeasurements()
    for number in 0...RecentMeasurements.capacity { recent.add(location(Double(number), at: 100)) }
    #expect(!recent.contains(location(0, at: 3_000_000)))
    #expect(recent.contains(location(1, at: 3_000_000)))
  }
}
