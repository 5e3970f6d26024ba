// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GeopublicistLocationModel

/// Significant changes, in virtual time.
@Suite struct SignificantChangeTests {
  static let second = Duration.seconds(1)
  static let significant = DeliveryRule.Configuration(isSignificant: true)

  private static func fix(_ second: UInt64, metres: Double, accuracy: Double? = 20) -> Location {
    DeliverySimulation.fix(second, metres: metres, accuracy: accuracy)
  }

  @Test func `a change is significant if it is at least 500 m and exceeds both accuracies`() {
    var simulation = DeliverySimulation(Self.significant)
    simulation.receive(Self.fix(1, metres: 0, accuracy: 800), at: 0)
    simulation.receive(Self.fix(2, metres: 499), at: 400_000)
    simulation.receive(Self.fix(3, metres: 700), at: 500_000)  // within the circle of the first location
    simulation.receive(Self.fix(4, metres: 900, accuracy: 1_000), at: 600_000)  // within its own circle
    simulation.receive(Self.fix(5, metres: 900, accuracy: nil), at: 700_000)
    simulation.receive(Self.fix(6, metres: 900), at: 800_000)
    #expect(simulation.deliveries.map(\.fix) == [1, 6])
  }

  @Test func `a significant change is sent at most every five minutes, with the newest location`() {
    var simulation = DeliverySimulation(Self.significant)
    for minute in 0..<10 as Range<UInt64> {
      simulation.receive(Self.fix(minute + 1, metres: Double(minute) * 1_000), at: minute * 60_000 + 1)
    }
    simulation.finish()
    #expect(simulation.deliveries.map(\.fix) == [1, 6, 10])
  }

  @Test func `an outlier that later locations contradict is not sent`() {
    var simulation = DeliverySimulation(Self.significant)
    simulation.receive(Self.fix(1, metres: 0), at: 0)
    simulation.receive(Self.fix(2, metres: 5_000), at: 100_000)
    for second in 101..<400 as Range<UInt64> {
      simulation.receive(Self.fix(second, metres: 10), at: second * 1_000)
    }
    simulation.finish()
    #expect(simulation.deliveries.map(\.fix) == [1])
  }

  @Test func `a device that returns before the time threshold ends causes no significant change`() {
    for accuracy in [5.0, nil] {
      var simulation = DeliverySimulation(
        DeliveryRule.Configuration(distanceThreshold: 500, timeThreshold: .milliseconds(60_000)))
      for second in 0..<90 as Range<UInt64> {
        simulation.receive(
          Self.fix(second, metres: (20..<25).contains(second) ? 667 : 0, accuracy: accuracy), at: second * 1_000)
      }
      simulation.finish()
      #expect(simulation.deliveries.map(\.fix) == [0])
    }
  }

  @Test func `a coarse location whose circle contains a waiting location does not contradict it`() {
    var simulation = DeliverySimulation(Self.significant)
    simulation.receive(Self.fix(1, metres: 0), at: 0)
    simulation.receive(Self.fix(2, metres: 2_000), at: 100_000)
    simulation.receive(Self.fix(3, metres: 0, accuracy: 3_000), at: 110_000)
    simulation.finish()
    #expect(simulation.deliveries.map(\.fix) == [1, 2])
  }

  @Test func `a waiting location is dropped when the source is released`() {
    var simulation = DeliverySimulation(Self.significant)
    simulation.receive(Self.fix(1, metres: 0), at: 0)
    simulation.receive(Self.fix(2, metres: 2_000), at: 1_000)
    simulation.drop(at: 2_000)
    #expect(simulation.rule.deadline == nil)
    simulation.receive(Self.fix(3, metres: 2_500), at: 310_000)
    #expect(simulation.deliveries == [.init(1, at: 0), .init(3, at: 310_000)])
  }

  @Test func `locations below the required accuracy are ignored by all other rules`() {
    var simulation = DeliverySimulation(DeliveryRule.Configuration(distanceThreshold: 100, requiredAccuracy: 50))
    simulation.receive(Self.fix(1, metres: 0, accuracy: 51), at: 0)
    simulation.receive(Self.fix(2, metres: 0, accuracy: nil), at: 1)
    simulation.receive(Self.fix(3, metres: 0, accuracy: 50), at: 2)
    simulation.receive(Self.fix(4, metres: 500, accuracy: 60), at: 3)
    simulation.receive(Self.fix(5, metres: 500, accuracy: 10), at: 4)
    #expect(simulation.deliveries.map(\.fix) == [3, 5])
  }
}
