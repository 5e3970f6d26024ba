// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import Testing

@testable import GeopublicistLocationModel

@Suite struct DeliveryRuleTests {
  typealias Configuration = DeliveryRule.Configuration
  typealias Delivery = DeliverySimulation.Delivery

  /// One run: the fixes in order of arrival, numbered from 1, and the expected deliveries.
  struct Scenario: CustomTestStringConvertible, Sendable {
    var name: String
    var configuration: Configuration
    var fixes: [(at: UInt64, metres: Double, accuracy: Double?)]
    var expected: [(fix: UInt64, at: UInt64)]
    var testDescription: String { name }

    init(
      _ name: String, _ configuration: Configuration, _ fixes: [(UInt64, Double, Double?)],
      _ expected: [(UInt64, UInt64)]
    ) {
      self.name = name
      self.configuration = configuration
      self.fixes = fixes.map { (at: $0.0, metres: $0.1, accuracy: $0.2) }
      self.expected = expected.map { (fix: $0.0, at: $0.1) }
    }
  }

  static let scenarios = [
    Scenario(
      "without thresholds every fix is sent immediately", Configuration(),
      [(0, 0, 5), (1, 0, 5), (1, 0, nil), (500, 7, 5)], [(1, 0), (2, 1), (3, 1), (4, 500)]),
    Scenario(
      "the distance counts from the last location sent, so slow movement passes eventually",
      Configuration(distanceThreshold: 1),
      (0..<10).map { (UInt64($0) * 1000, 0.4 * Double($0), 5) }, [(1, 0), (4, 3000), (7, 6000), (10, 9000)]),
    Scenario(
      "a fix just below the threshold does not pass, one just above it does", Configuration(distanceThreshold: 100),
      [(0, 0, 5), (1, 99.99, 5), (2, 100.01, 5)], [(1, 0), (3, 2)]),
    Scenario(
      "after a return to the last location sent the distance is zero", Configuration(distanceThreshold: 100),
      [(0, 0, 5), (1, 90, 5), (2, 0, 5), (3, -90, 5)], [(1, 0)]),
    Scenario(
      "a fix that is better by half and by 10 m also passes", Configuration(distanceThreshold: 100),
      [(0, 0, 40), (1, 0, 21), (2, 0, 20), (3, 0, 11), (4, 0, 10)], [(1, 0), (3, 2), (5, 4)]),
    Scenario(
      "a fix that is better by half but not by 10 m does not pass", Configuration(distanceThreshold: 100),
      [(0, 0, 19), (1, 0, 9.5), (2, 0, 9), (3, 0, 0)], [(1, 0), (3, 2)]),
    Scenario(
      "above 20 m an improvement by 10 m is not enough", Configuration(distanceThreshold: 100),
      [(0, 0, 100), (1, 0, 51), (2, 0, 50)], [(1, 0), (3, 2)]),
    Scenario(
      "an unknown accuracy is not better, and a known accuracy is better than an unknown one",
      Configuration(distanceThreshold: 100),
      [(0, 0, 40), (1, 0, nil), (2, 200, nil), (3, 200, 500)], [(1, 0), (3, 2), (4, 3)]),
    Scenario(
      "during the time threshold the newest fix waits until its end", Configuration(timeThreshold: .milliseconds(1000)),
      [(0, 0, 5), (100, 1, 5), (900, 2, 5), (1000 + 10, 3, 5)], [(1, 0), (3, 1000), (4, 2000)]),
    Scenario(
      "after the time threshold the next fix is sent immediately", Configuration(timeThreshold: .milliseconds(1000)),
      [(0, 0, 5), (1000, 1, 5), (2500, 2, 5)], [(1, 0), (2, 1000), (3, 2500)]),
    Scenario(
      "the time counts from the last sending, not from the arrival of the fix",
      Configuration(timeThreshold: .milliseconds(1000)),
      [(0, 0, 5), (900, 1, 5), (1900, 2, 5)], [(1, 0), (2, 1000), (3, 2000)]),
    Scenario(
      "the newest fix that passed is sent", Configuration(distanceThreshold: 50, timeThreshold: .milliseconds(1000)),
      [(0, 0, 5), (100, 60, 5), (200, 80, 5), (300, 75, 5)], [(1, 0), (4, 1000)]),
    Scenario(
      "a fix that passed is not sent after the device has returned",
      Configuration(distanceThreshold: 50, timeThreshold: .milliseconds(1000)),
      [(0, 0, 5), (100, 60, 5), (200, 80, 5), (300, 10, 5)], [(1, 0)]),
    Scenario(
      "a fix that agrees with the waiting one does not replace or drop it",
      Configuration(distanceThreshold: 50, timeThreshold: .milliseconds(1000)),
      [(0, 0, 5), (100, 60, 25), (200, 40, 5)], [(1, 0), (2, 1000)]),
    Scenario(
      "the level's interval is a time threshold", Configuration(minimumInterval: .milliseconds(10_000)),
      [(0, 0, 5), (5000, 1, 5), (12_000, 2, 5)], [(1, 0), (2, 10_000), (3, 20_000)]),
    Scenario(
      "the longer of the two times counts",
      Configuration(timeThreshold: .milliseconds(15_000), minimumInterval: .milliseconds(10_000)),
      [(0, 0, 5), (5000, 1, 5)], [(1, 0), (2, 15_000)]),
    Scenario(
      "a fix with better accuracy also waits",
      Configuration(distanceThreshold: 100, timeThreshold: .milliseconds(1000)),
      [(0, 0, 500), (1, 0, 5)], [(1, 0), (2, 1000)]),
    Scenario(
      "debounce waits for a pause, but does not delay the first fix", Configuration(debounce: .milliseconds(200)),
      [(0, 0, 5), (100, 1, 5), (250, 2, 5), (440, 3, 5)], [(1, 0), (4, 640)]),
    Scenario(
      "a pause of exactly the debounce time suffices", Configuration(debounce: .milliseconds(200)),
      [(0, 0, 5), (100, 1, 5), (300, 2, 5)], [(1, 0), (2, 300), (3, 500)]),
    Scenario(
      "a fix below the distance does not end the pause",
      Configuration(distanceThreshold: 50, debounce: .milliseconds(200)),
      [(0, 0, 5), (100, 60, 5), (200, 61, 5), (250, 45, 20), (350, 46, 20)], [(1, 0), (3, 400)]),
    Scenario(
      "debounce begins at the end of the time threshold",
      Configuration(timeThreshold: .milliseconds(1000), debounce: .milliseconds(200)),
      [(0, 0, 5), (100, 1, 5)], [(1, 0), (2, 1200)]),
    Scenario(
      "after the time threshold another fix restarts the debounce",
      Configuration(timeThreshold: .milliseconds(1000), debounce: .milliseconds(200)),
      [(0, 0, 5), (100, 1, 5), (1100, 2, 5)], [(1, 0), (3, 1300)]),
    Scenario(
      "distance, time and debounce apply together",
      Configuration(distanceThreshold: 10, timeThreshold: .milliseconds(1000), debounce: .milliseconds(200)),
      [(0, 0, 5), (500, 9, 5), (600, 11, 5), (700, 30, 5), (1100, 12, 5), (1250, 5, 5), (2000, 25, 5)],
      [(1, 0), (5, 1300), (7, 2500)]),
  ]

  @Test(arguments: scenarios)
  func `each scenario of the delivery rule sends the expected locations at the expected times`(scenario: Scenario) {
    var simulation = DeliverySimulation(scenario.configuration)
    for (index, fix) in scenario.fixes.enumerated() {
      let location = DeliverySimulation.fix(UInt64(index + 1), metres: fix.metres, accuracy: fix.accuracy)
      simulation.receive(location, at: fix.at)
    }
    simulation.finish()
    #expect(simulation.deliveries == scenario.expected.map { Delivery($0.fix, at: $0.at) })
    #expect(simulation.rule.deadline == nil)
  }

  @Test func `the deadline is that of the location that waits`() {
    var rule = DeliveryRule(Configuration(timeThreshold: .milliseconds(1000)))
    let fixes = (0...3).map { DeliverySimulation.fix($0, metres: Double($0)) }
    #expect(rule.sends(fixes[0], at: 0) == true && rule.deadline == nil)
    rule.received(fixes[1], at: 10_000)
    #expect(rule.deadline == 1_000_000)
    rule.received(fixes[2], at: 20_000)
    #expect(rule.deadline == 1_000_000)
    rule.timerFired(at: 999_999)
    #expect(rule.deadline == 1_000_000 && rule.next(at: 999_999) == nil)
    rule.timerFired(at: 1_000_000)
    #expect(rule.deadline == nil && rule.next(at: 1_000_000) == fixes[2])
    rule.timerFired(at: 1_000_001)
    #expect(rule.deadline == nil)
    rule.received(fixes[3], at: 1_500_000)
    #expect(rule.deadline == 2_000_000)
    rule.reset()
    #expect(rule.deadline == nil)
    rule.timerFired(at: 2_000_000)
    #expect(rule.deadline == nil && rule.next(at: 2_000_000) == nil)
  }

  /// Regression: a location was held for 0.7 s during a check, and the next one followed it after 4.3 s instead of 5 s.
  @Test func `a repetition of the location that waits does not restart its debounce`() {
    var rule = DeliveryRule(Configuration(debounce: .milliseconds(200)))
    rule.received(DeliverySimulation.fix(1), at: 0)
    #expect(rule.next(at: 0) != nil)
    let waiting = DeliverySimulation.fix(2, metres: 50)
    for time in [100_000, 250_000] as [MonotonicInstant] {
      rule.received(waiting, at: time)
      #expect(rule.deadline == 300_000)
    }
    rule.received(DeliverySimulation.fix(3, metres: 50), at: 250_000)
    #expect(rule.deadline == 450_000)
  }

  @Test func `the interval begins when a location that is due is actually sent`() {
    var rule = DeliveryRule(Configuration(timeThreshold: .milliseconds(5_000)))
    let fixes = (0...2).map { DeliverySimulation.fix($0) }
    rule.received(fixes[0], at: 0)
    rule.received(fixes[1], at: 600_000)
    #expect(rule.deadline == nil)
    #expect(rule.mayDeliverFrom == 5_600_000, "another location would not help")
    #expect(rule.next(at: 700_000) == fixes[1])
    rule.received(fixes[2], at: 1_000_000)
    #expect(rule.deadline == 5_700_000 && rule.mayDeliverFrom == 5_700_000)
  }

  @Test func `the distance counts from the last location that was sent, not from one that could not be sent`() {
    var rule = DeliveryRule(Configuration(distanceThreshold: 100))
    let fixes = [0, 150, 210].enumerated().map { DeliverySimulation.fix(UInt64($0.offset), metres: $0.element) }
    #expect(rule.sends(fixes[0], at: 0) == true)
    rule.received(fixes[1], at: 1)
    rule.received(fixes[2], at: 2)
    #expect(rule.next(at: 2) == fixes[2])
  }

  @Test func `after a late timer, debounce sends the location that was due, and a time threshold the newest`() {
    let fixes = (0...2).map { DeliverySimulation.fix($0, metres: Double($0)) }
    for (configuration, isQuiet) in [
      (Configuration(debounce: .milliseconds(200)), true), (Configuration(timeThreshold: .milliseconds(200)), false),
    ] {
      var rule = DeliveryRule(configuration)
      #expect(rule.sends(fixes[0], at: 0) == true)
      rule.received(fixes[1], at: 1000)
      #expect(!rule.isQuiet(at: 200_999))
      #expect(rule.isQuiet(at: 300_000) == isQuiet)
      #expect(rule.sends(fixes[2], at: 300_000) == !isQuiet)
    }
  }

  @Test func `times at the end of the clock's range do not overflow`() {
    var rule = DeliveryRule(
      Configuration(
        timeThreshold: .milliseconds(UInt32.max), debounce: .milliseconds(UInt32.max),
        minimumInterval: .milliseconds(UInt32.max)))
    #expect(rule.sends(DeliverySimulation.fix(1), at: .max - 1) == true)
    rule.received(DeliverySimulation.fix(2), at: .max - 1)
    #expect(rule.deadline != nil)
  }
}

@Suite struct DeliveryRuleConfigurationTests {
  typealias Configuration = DeliveryRule.Configuration
  typealias Delivery = DeliverySimulation.Delivery

  /// A subscription that was sent fix 1 at 0 ms, and received fix 2, `metres` away, at 100 ms.
  func simulation(_ configuration: Configuration, metres: Double) -> DeliverySimulation {
    var simulation = DeliverySimulation(configuration)
    simulation.receive(DeliverySimulation.fix(1), at: 0)
    simulation.receive(DeliverySimulation.fix(2, metres: metres), at: 100)
    return simulation
  }

  @Test(
    arguments: [
      ("shorter", Configuration(timeThreshold: .milliseconds(500)), 500),
      ("longer", Configuration(timeThreshold: .milliseconds(5000)), 5000),
      ("already over", Configuration(timeThreshold: .milliseconds(150)), 200), ("none", Configuration(), 200),
      (
        "the same, with a debounce", Configuration(timeThreshold: .milliseconds(1000), debounce: .milliseconds(300)),
        1300
      ),
      (
        "the level's interval", Configuration(timeThreshold: .milliseconds(1000), minimumInterval: .milliseconds(3000)),
        3000
      ),
    ] as [(String, Configuration, UInt64)])
  func `a held location is sent as soon as changed thresholds permit it`(
    _: String, changed: Configuration, expected: UInt64
  ) {
    var simulation = simulation(Configuration(timeThreshold: .milliseconds(1000)), metres: 5)
    simulation.configure(changed, at: 200)
    simulation.finish()
    #expect(simulation.rule.configuration == changed)
    #expect(simulation.deliveries == [Delivery(1, at: 0), Delivery(2, at: expected)])
  }

  @Test func `a held location that no longer passes a changed threshold is dropped`() {
    var simulation = simulation(Configuration(distanceThreshold: 10, timeThreshold: .milliseconds(1000)), metres: 50)
    simulation.configure(Configuration(distanceThreshold: 100, timeThreshold: .milliseconds(1000)), at: 200)
    #expect(simulation.rule.deadline == nil)
    simulation.finish()
    #expect(simulation.deliveries == [Delivery(1, at: 0)])
  }

  @Test func `a fix that passes a changed threshold is sent immediately`() {
    var simulation = simulation(Configuration(distanceThreshold: 100), metres: 50)
    simulation.configure(Configuration(distanceThreshold: 20), at: 700)
    #expect(simulation.deliveries == [Delivery(1, at: 0), Delivery(2, at: 700)])
    simulation.configure(Configuration(), at: 800)
    #expect(simulation.deliveries.count == 2)
  }

  @Test func `a fix that a changed threshold drops is sent if the old threshold is restored`() {
    var simulation = simulation(Configuration(distanceThreshold: 10, timeThreshold: .milliseconds(1000)), metres: 50)
    simulation.configure(Configuration(distanceThreshold: 100, timeThreshold: .milliseconds(1000)), at: 200)
    simulation.configure(Configuration(distanceThreshold: 10, timeThreshold: .milliseconds(1000)), at: 300)
    simulation.finish()
    #expect(simulation.deliveries == [Delivery(1, at: 0), Delivery(2, at: 1000)])
  }

  @Test func `if a changed threshold permits two fixes, the newer one is sent`() {
    var simulation = simulation(Configuration(distanceThreshold: 40, timeThreshold: .milliseconds(1000)), metres: 50)
    simulation.receive(DeliverySimulation.fix(3, metres: 30), at: 200)
    simulation.configure(Configuration(distanceThreshold: 20, timeThreshold: .milliseconds(1000)), at: 300)
    simulation.finish()
    #expect(simulation.deliveries == [Delivery(1, at: 0), Delivery(3, at: 1000)])
  }

  @Test func `the first fix is sent regardless of earlier changes of the thresholds`() {
    var simulation = DeliverySimulation(Configuration(distanceThreshold: 40))
    simulation.configure(Configuration(debounce: .milliseconds(1000)), at: 10)
    #expect(simulation.rule.deadline == nil)
    simulation.receive(DeliverySimulation.fix(1), at: 20)
    #expect(simulation.deliveries == [Delivery(1, at: 20)])
  }
}
