// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistTestSupport
import Testing

@testable import GeoClue

/// Which announcements are repetitions, and how old these are.
@Suite nonisolated struct RecentMeasurementsTests {
  private func location(_ latitude: Double, at time: BootInstant) -> Location {
    Location(latitude: latitude, longitude: 13, timestamp: Timestamp(seconds: 1_700_000_000), receivedAt: time)
  }

  /// What the measurements say about a location that arrives now.
  private func announce(
    _ latitude: Double, to recent: inout RecentMeasurements
  ) throws -> (location: Location, isNewest: Bool) {
    var repetition = location(latitude, at: 1_000)
    repetition.heading = 90
    let original = recent.original(of: repetition)
    return try #require(original)
  }

  @Test func `a repetition of the newest measurement has its age and heading`() throws {
    var recent = RecentMeasurements()
    recent.add(location(1, at: 100))
    for _ in 1...2 {
      let (original, isNewest) = try announce(1, to: &recent)
      #expect(original == location(1, at: 100) && isNewest)
    }
    let other = recent.original(of: location(2, at: 200))
    #expect(other == nil)
  }

  /// Regression: the locations of two levels alternated, and each counted as new.
  @Test func `an earlier measurement follows the newest one without being younger`() throws {
    var recent = RecentMeasurements()
    recent.add(location(1, at: 100))
    recent.add(location(2, at: 200))
    for latitude in [1.0, 2, 1] {
      for isAgain in [false, true] {
        let (original, isNewest) = try announce(latitude, to: &recent)
        #expect(original == location(latitude, at: 200) && isNewest == isAgain)
      }
    }
  }

  @Test func `an asserted location is remembered with the time of its last assertion`() throws {
    var recent = RecentMeasurements()
    recent.add(location(1, at: 100))
    recent.add(location(2, at: 200))
    recent.add(location(1, at: 300))
    let (original, isNewest) = try announce(1, to: &recent)
    #expect(original.receivedAt == 300 && isNewest)
  }

  @Test func `only a few measurements are remembered`() {
    var recent = RecentMeasurements()
    for number in 0...RecentMeasurements.capacity { recent.add(location(Double(number), at: 100)) }
    let (first, second) = (recent.original(of: location(0, at: 200)), recent.original(of: location(1, at: 200)))
    #expect(first == nil && second != nil)
  }
}
