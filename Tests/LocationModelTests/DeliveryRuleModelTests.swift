// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import Testing

@testable import GeopublicistLocationModel

/// The delivery rule against a naive model, which checks every millisecond and has no timers.
@Suite struct DeliveryRuleModelTests {
  /// Three stages one after the other, as in the contract: distance, time, debounce.
  struct NaiveModel {
    var configuration: DeliveryRule.Configuration
    var deliveries: [DeliverySimulation.Delivery] = []
    private var lastSent: (fix: Location, at: UInt64)?
    private var waitsForTime: Location?
    private var waitsForQuiet: (fix: Location, since: UInt64)?

    init(_ configuration: DeliveryRule.Configuration) { self.configuration = configuration }

    mutating func tick(_ now: UInt64, fix: Location?) {
      sendIfQuiet(at: now)
      if let fix, goesOut(fix) { waitsForTime = fix } else if let fix { dropWhatIsElsewhere(fix) }
      let interval = UInt64(max(configuration.timeThreshold, configuration.minimumInterval).milliseconds)
      if let fix = waitsForTime, lastSent.map({ now >= $0.at + interval }) ?? true {
        (waitsForTime, waitsForQuiet) = (nil, (fix, now))
      }
      if lastSent == nil || configuration.debounce == .zero { sendIfQuiet(at: now) }
    }

    mutating func reset() { (lastSent, waitsForTime, waitsForQuiet) = (nil, nil, nil) }

    private mutating func sendIfQuiet(at now: UInt64) {
      guard let waiting = waitsForQuiet else { return }
      guard lastSent == nil || now >= waiting.since + UInt64(configuration.debounce.milliseconds) else { return }
      deliveries.append(DeliverySimulation.Delivery(waiting.fix.sequence, at: now))
      (lastSent, waitsForQuiet) = ((waiting.fix, now), nil)
    }

    private mutating func dropWhatIsElsewhere(_ fix: Location) {
      func isElsewhere(_ waiting: Location) -> Bool {
        waiting.distance(to: fix) > (waiting.accuracy ?? 0) + (fix.accuracy ?? 0)
      }
      if let waiting = waitsForTime, isElsewhere(waiting) { (waitsForTime, waitsForQuiet) = (nil, nil) }
      if let waiting = waitsForQuiet, isElsewhere(waiting.fix) { waitsForQuiet = nil }
    }

    private func goesOut(_ fix: Location) -> Bool {
      guard let last = lastSent?.fix else { return true }
      let isFar = last.distance(to: fix) >= configuration.distanceThreshold
      let (old, new) = (last.accuracy ?? .infinity, fix.accuracy ?? .infinity)
      let isBetter = new.isFinite && new <= old / 2 && new <= old - 10
      return isFar || isBetter
    }
  }

  @Test(arguments: 0..<400 as Range<UInt64>)
  func `the delivery rule sends the same locations as a simple model`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func oneOf<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
    let configuration = DeliveryRule.Configuration(
      distanceThreshold: oneOf([0, 0, 1, 10, 100]), timeThreshold: .milliseconds(oneOf([0, 0, 50, 300])),
      debounce: .milliseconds(oneOf([0, 0, 7, 60])), minimumInterval: .milliseconds(oneOf([0, 0, 100, 1000])))
    var naive = NaiveModel(configuration)
    var simulation = DeliverySimulation(configuration)
    let meanPause = oneOf([3, 20, 100])
    var metres = 0.0
    for now in 0..<4000 as Range<UInt64> {
      if Int.random(in: 0..<1500, using: &random) == 0 {
        naive.reset()
        simulation.reset(at: now)
      }
      var fix: Location?
      if Int.random(in: 0..<meanPause, using: &random) == 0 {
        metres += .random(in: -12...12, using: &random)
        fix = DeliverySimulation.fix(now, metres: metres, accuracy: oneOf([nil, 3, 8, 20, 40, 100]))
      }
      naive.tick(now, fix: fix)
      if let fix { simulation.receive(fix, at: now) } else { simulation.advance(to: now) }
      simulation.fireDue(at: now)
    }
    #expect(!simulation.deliveries.isEmpty)
    #expect(simulation.deliveries == naive.deliveries, "\(configuration)")
  }
}
