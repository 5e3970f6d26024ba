// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

/// Thresholds that are changed while the subscription runs.
@Suite struct DeliveryRuleConfigurationTests {
  typealias Configuration = DeliveryRule.Configuration
  typealias Delivery = DeliverySimulation.Delivery

  /// A subscription that was sent fix 1 at 0 ms, then got fix 2 at 100 ms, `metres` away.
  func simulation(_ configuration: Configuration, metres: Double) -> DeliverySimulation {
    var simulation = DeliverySimulation(configuration)
    simulation.receive(DeliverySimulation.fix(1), at: 0)
    simulation.receive(DeliverySimulation.fix(2, metres: metres), at: 100)
    return simulation
  }

  @Test(
    arguments: [
      ("shorter", Configuration(timeThreshold: 500), 500), ("longer", Configuration(timeThreshold: 5000), 5000),
      ("over already", Configuration(timeThreshold: 150), 200), ("none", Configuration(), 200),
      ("a debounce as well", Configuration(timeThreshold: 1000, debounce: 300), 1300),
      ("the level's interval", Configuration(timeThreshold: 1000, minimumInterval: 3000), 3000),
    ] as [(String, Configuration, UInt64)])
  func `a held location goes at the new time`(_: String, changed: Configuration, expected: UInt64) {
    var simulation = simulation(Configuration(timeThreshold: 1000), metres: 5)
    simulation.configure(changed, at: 200)
    simulation.finish()
    #expect(simulation.rule.configuration == changed)
    #expect(simulation.deliveries == [Delivery(1, at: 0), Delivery(2, at: expected)])
  }

  @Test func `a held location that no longer passes is dropped`() {
    var simulation = simulation(Configuration(distanceThreshold: 10, timeThreshold: 1000), metres: 50)
    simulation.configure(Configuration(distanceThreshold: 100, timeThreshold: 1000), at: 200)
    #expect(simulation.actions == [.disarmTimer])
    simulation.finish()
    #expect(simulation.deliveries == [Delivery(1, at: 0)])
  }

  @Test func `a fix that passes now goes now, since it may be the last for long`() {
    var simulation = simulation(Configuration(distanceThreshold: 100), metres: 50)
    simulation.configure(Configuration(distanceThreshold: 20), at: 700)
    #expect(simulation.deliveries == [Delivery(1, at: 0), Delivery(2, at: 700)])
    simulation.configure(Configuration(), at: 800)
    #expect(simulation.deliveries.count == 2)
  }

  @Test func `a dropped fix comes back with the old threshold`() {
    var simulation = simulation(Configuration(distanceThreshold: 10, timeThreshold: 1000), metres: 50)
    simulation.configure(Configuration(distanceThreshold: 100, timeThreshold: 1000), at: 200)
    simulation.configure(Configuration(distanceThreshold: 10, timeThreshold: 1000), at: 300)
    simulation.finish()
    #expect(simulation.deliveries == [Delivery(1, at: 0), Delivery(2, at: 1000)])
  }

  @Test func `the newer of two passing fixes goes`() {
    var simulation = simulation(Configuration(distanceThreshold: 40, timeThreshold: 1000), metres: 50)
    simulation.receive(DeliverySimulation.fix(3, metres: 30), at: 200)
    simulation.configure(Configuration(distanceThreshold: 20, timeThreshold: 1000), at: 300)
    simulation.finish()
    #expect(simulation.deliveries == [Delivery(1, at: 0), Delivery(3, at: 1000)])
  }

  @Test func `before the first fix nothing happens`() {
    var simulation = DeliverySimulation(Configuration(distanceThreshold: 40))
    simulation.configure(Configuration(debounce: 1000), at: 10)
    #expect(simulation.actions.isEmpty)
    simulation.receive(DeliverySimulation.fix(1), at: 20)
    #expect(simulation.deliveries == [Delivery(1, at: 20)])
  }
}
