// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import Testing

@testable import GeopublicistLocationModel

/// How long the source is used for clients that may wait, in virtual time.
@Suite struct RestingTests {
  private static let second = Duration.seconds(1)
  private static let clock = DeliveryRule.Configuration(timeThreshold: .milliseconds(600_000))
  private static let significant = DeliveryRule.Configuration(isSignificant: true)

  /// One client of a source that sends a location each second, the first one some time after the source is started.
  private struct Simulation {
    private var rule: DeliveryRule
    private var wait = SourceWait()
    /// A region instead of a subscription.
    private var region: RegionSimulation?
    var speed: Double?
    private var schedule = SourceSchedule(linger: 2 * RestingTests.second)
    /// The seconds of each hour in which the source was used.
    private(set) var held: [Int] = []
    /// The lengths of its periods of use in seconds.
    private(set) var holds: [UInt64] = []
    private(set) var sent: [(at: UInt64, measured: UInt64)] = []

    init(_ configuration: DeliveryRule.Configuration) { rule = DeliveryRule(configuration) }

    init(_ region: RegionSimulation) {
      rule = DeliveryRule()
      self.region = region
    }

    var events: [RegionEvent.Kind] { changes.map(\.kind) }
    var changes: [RegionSimulation.Change] { region?.changes ?? [] }

    /// `metres` is the device's place at a second; nil without reception. `wakes` are the times of resumes in seconds.
    mutating func run(
      hours: Int = 1, firstFix: UInt64 = 5, wakes: Set<UInt64> = [], _ metres: (UInt64) -> Double?
    ) {
      final class Object {}
      let object = Object()
      var warm: UInt64 = 0
      held = Array(repeating: 0, count: hours)
      for second in 0..<UInt64(hours * 3_600) {
        let now = MonotonicInstant.seconds(second)
        region?.advance(to: second)
        if wakes.contains(second) { wait.check(at: now) }
        if let due = rule.deadline, due <= now {
          rule.timerFired(at: now)
          send(second)
        }
        schedule.set(need, for: ObjectIdentifier(object))
        guard schedule.update(at: now).level != nil else {
          if warm > 0 { holds.append(warm) }
          warm = 0
          rule.drop()
          continue
        }
        held[Int(second / 3_600)] += 1
        warm += 1
        guard warm >= firstFix, let metres = metres(second) else { continue }
        region?.locate(metres, accuracy: 20, at: second, speed: speed)
        let fix = DeliverySimulation.fix(second, metres: metres, accuracy: 20)
        wait.received(fix, rule.configuration, at: now)
        rule.received(fix, at: now)
        send(second)
      }
    }

    private var need: SourceSchedule.Need? {
      switch region?.machine.need {
      case nil: wait.need(rule, at: .exact)
      case .nothing: nil
      case .now: SourceSchedule.Need(.exact)
      case .check(let time): .check(.exact, from: MonotonicInstant(sinceOrigin: time.sinceOrigin))
      }
    }

    private mutating func send(_ second: UInt64) {
      let location = rule.next(at: .seconds(second))
      if let location { sent.append((second, location.timestamp.seconds)) }
    }
  }

  private static func clients() -> [Simulation] {
    // A region whose border is 200 km away.
    [
      Simulation(clock), Simulation(significant),
      Simulation(RegionSimulation(RegionSimulation.configuration(radius: 200))),
    ]
  }

  @Test(arguments: [1, 5] as [UInt64])
  func `a source that answers within 5 s is used for at most 5 percent of each hour`(firstFix: UInt64) {
    for var client in Self.clients() {
      client.run(hours: 3, firstFix: firstFix) { _ in 200_200 }
      #expect(client.held.allSatisfy { $0 <= 180 }, "\(client.held)")
      #expect(client.events.count <= 1)
    }
  }

  @Test func `a source without a fix is used for at most 10 percent of the first hour and 5 percent of each later one`()
  {
    for var client in Self.clients() {
      client.run(hours: 12) { _ in nil }
      #expect(client.held[0] <= 360, "\(client.held)")
      #expect(client.held.dropFirst().allSatisfy { $0 <= 180 }, "\(client.held)")
    }
  }

  @Test func `a receiver that needs 45 s for a fix is used for at most 65 s per update and 5 percent of each hour`() {
    for (index, var client) in Self.clients().enumerated() {
      client.run(hours: 3, firstFix: 45) { _ in 200_200 }
      #expect(client.holds.allSatisfy { $0 <= (index == 0 ? 65 : 125) }, "\(client.holds)")
      if index > 0 { #expect(client.held.allSatisfy { $0 <= 180 }, "\(index): \(client.held)") }
      #expect(!client.events.contains(.lost))
    }
  }

  @Test(arguments: [1.4, 14, 36, 90, 250], [true, false])
  func `a device that travels through a large region causes its events in time`(speed: Double, isKnown: Bool) {
    // Without a speed, 100 m/s are assumed.
    guard isKnown || speed <= 100 else { return }
    let (radius, start) = (max(300, speed * 150), 20_000.0)
    var traveller = Simulation(RegionSimulation(RegionSimulation.configuration(radius: radius)))
    if isKnown { traveller.speed = speed }
    traveller.run(hours: 6, firstFix: 5) { start + radius - Double($0) * speed }
    #expect(traveller.events.prefix(3) == [.determined, .entered, .exited])
    for (change, border) in zip(traveller.changes.dropFirst(), [start, start + 2 * radius]) {
      let late = Double(change.at) - border / speed
      // The check, the confirmation, and the time until the device has left the uncertain zone around the border.
      #expect(late > 0 && late <= 150 + 60 / speed, "\(late) s")
    }
  }

  @Test(arguments: [1, 5, 45] as [UInt64])
  func `with an interval of ten minutes, each location is fresh and sent on time`(firstFix: UInt64) {
    var clock = Simulation(Self.clock)
    clock.run(hours: 2, firstFix: firstFix) { Double($0) }
    #expect(clock.sent.count >= 11)
    #expect(clock.sent.allSatisfy { $0.at <= $0.measured + 1 }, "\(clock.sent)")
    for (first, next) in zip(clock.sent, clock.sent.dropFirst()) {
      #expect(next.at - first.at <= 600 + max(1, firstFix - min(firstFix, 14)))
    }
  }

  @Test func `significant changes are reported despite a tunnel and a suspend`() {
    for firstFix in [5, 45] as [UInt64] {
      var weather = Simulation(Self.significant)
      // 20 m/s, without reception during the check at half an hour and right after the resume at 2,700 s.
      weather.run(firstFix: firstFix, wakes: [2_700]) { second in
        (1_700..<1_900).contains(second) ? nil : Double(second) * 20
      }
      #expect(weather.sent.count >= 2)
      #expect(weather.sent.allSatisfy { $0.at == $0.measured })
    }
  }

  @Test func `only a location with the required accuracy ends a check`() {
    var wait = SourceWait(at: 10)
    let rule = DeliveryRule(Self.significant)
    func from() -> MonotonicInstant { wait.need(rule, at: .exact).from }
    wait.received(DeliverySimulation.fix(1, metres: 0, accuracy: 25_000), Self.significant, at: 20)
    wait.received(DeliverySimulation.fix(2, metres: 0, accuracy: nil), Self.significant, at: 30)
    #expect(from() == 10)
    wait.received(DeliverySimulation.fix(3, metres: 0, accuracy: 500), Self.significant, at: 40)
    #expect(from() == 40 + SourceWait.checkInterval)
    wait.check(at: 50)
    #expect(from() == 50)
    // Regression: a location that the subscription skips ended the check, so that it never received one.
    var accurate = ClientOptions()
    (accurate.mode, accurate.requiredAccuracy) = (.significant, 50)
    wait.received(
      DeliverySimulation.fix(3, metres: 0, accuracy: 150), DeliveryRule.Configuration(accurate, at: .exact), at: 55)
    #expect(from() == 50)
    var city = ClientOptions()
    city.mode = .significant
    wait.received(
      DeliverySimulation.fix(4, metres: 0, accuracy: 15_000), DeliveryRule.Configuration(city, at: .city), at: 60)
    #expect(from() == 60 + SourceWait.checkInterval)
  }

  @Test func `while fixes arrive, a move is reported even after the device has stood still`() {
    var walker = Simulation(DeliveryRule.Configuration(distanceThreshold: 100, timeThreshold: .milliseconds(120_000)))
    walker.run { $0 < 3_000 ? 0 : 200 }
    #expect(walker.sent.map(\.at) == [4, 3_000])
  }
}
