// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GeopublicistLocationModel

/// Significant changes and the rest of the source between them, on virtual time.
@Suite struct SignificantChangeTests {
  static let second: UInt64 = 1_000_000
  static let significant = DeliveryRule.Configuration(isSignificant: true)

  private static func fix(_ second: UInt64, metres: Double, accuracy: Double? = 20) -> Location {
    DeliverySimulation.fix(second, metres: metres, accuracy: accuracy)
  }

  @Test func `only what lies 500 m away and outside both circles is significant`() {
    var simulation = DeliverySimulation(Self.significant)
    simulation.receive(Self.fix(1, metres: 0, accuracy: 800), at: 0)
    simulation.receive(Self.fix(2, metres: 499), at: 400_000)
    simulation.receive(Self.fix(3, metres: 700), at: 500_000)  // within the circle of the first
    simulation.receive(Self.fix(4, metres: 900, accuracy: 1_000), at: 600_000)  // within its own
    simulation.receive(Self.fix(5, metres: 900, accuracy: nil), at: 700_000)
    simulation.receive(Self.fix(6, metres: 900), at: 800_000)
    #expect(simulation.deliveries.map(\.fix) == [1, 6])
  }

  @Test func `at most one every five minutes, and then the newest`() {
    var simulation = DeliverySimulation(Self.significant)
    for minute in 0..<10 as Range<UInt64> {
      simulation.receive(Self.fix(minute + 1, metres: Double(minute) * 1_000), at: minute * 60_000 + 1)
    }
    simulation.finish()
    #expect(simulation.deliveries.map(\.fix) == [1, 6, 10])
  }

  @Test func `an outlier is not sent after good locations have contradicted it`() {
    var simulation = DeliverySimulation(Self.significant)
    simulation.receive(Self.fix(1, metres: 0), at: 0)
    simulation.receive(Self.fix(2, metres: 5_000), at: 100_000)
    for second in 101..<400 as Range<UInt64> {
      simulation.receive(Self.fix(second, metres: 10), at: second * 1_000)
    }
    simulation.finish()
    #expect(simulation.deliveries.map(\.fix) == [1])
  }

  @Test func `who went away and came back within the time threshold was not away`() {
    for accuracy in [5.0, nil] {
      var simulation = DeliverySimulation(DeliveryRule.Configuration(distanceThreshold: 500, timeThreshold: 60_000))
      for second in 0..<90 as Range<UInt64> {
        simulation.receive(
          Self.fix(second, metres: (20..<25).contains(second) ? 667 : 0, accuracy: accuracy), at: second * 1_000)
      }
      simulation.finish()
      #expect(simulation.deliveries.map(\.fix) == [0])
    }
  }

  @Test func `a coarser location that contains a waiting one does not contradict it`() {
    var simulation = DeliverySimulation(Self.significant)
    simulation.receive(Self.fix(1, metres: 0), at: 0)
    simulation.receive(Self.fix(2, metres: 2_000), at: 100_000)
    simulation.receive(Self.fix(3, metres: 0, accuracy: 3_000), at: 110_000)
    simulation.finish()
    #expect(simulation.deliveries.map(\.fix) == [1, 2])
  }

  @Test func `nothing that waited is sent after the source was released`() {
    var simulation = DeliverySimulation(Self.significant)
    simulation.receive(Self.fix(1, metres: 0), at: 0)
    simulation.receive(Self.fix(2, metres: 2_000), at: 1_000)
    simulation.drop(at: 2_000)
    #expect(simulation.timer == nil)
    simulation.receive(Self.fix(3, metres: 2_500), at: 310_000)
    #expect(simulation.deliveries == [.init(1, at: 0), .init(3, at: 310_000)])
  }

  @Test func `locations that are not as accurate as required are skipped before the other rules`() {
    var simulation = DeliverySimulation(DeliveryRule.Configuration(distanceThreshold: 100, requiredAccuracy: 50))
    simulation.receive(Self.fix(1, metres: 0, accuracy: 51), at: 0)
    simulation.receive(Self.fix(2, metres: 0, accuracy: nil), at: 1)
    simulation.receive(Self.fix(3, metres: 0, accuracy: 50), at: 2)
    simulation.receive(Self.fix(4, metres: 500, accuracy: 60), at: 3)
    simulation.receive(Self.fix(5, metres: 500, accuracy: 10), at: 4)
    #expect(simulation.deliveries.map(\.fix) == [3, 5])
  }

  @Test func `a check is answered by any new and sufficient location`() {
    var check = SignificantCheck()
    #expect(check.nextAt == nil)
    check.checkNow(at: 1)
    #expect(check.nextAt == nil, "the first location is waited for")
    let first = Self.fix(1, metres: 0, accuracy: 25_000)
    check.received(first, at: 10)
    #expect(check.nextAt == 10 + SourceSchedule.checkInterval)
    check.received(Self.fix(2, metres: 0, accuracy: 25_000), at: 30)
    #expect(check.nextAt == 10 + SourceSchedule.checkInterval)
    check.received(Self.fix(3, metres: 0), at: 40)
    #expect(check.nextAt == 40 + SourceSchedule.checkInterval)
    check.checkNow(at: 50)
    #expect(check.nextAt == 50)
  }

  /// One client of a source that gives a location each second while it is held, an hour long.
  private struct Hour {
    var rule: DeliveryRule
    var check = SignificantCheck()
    var schedule = SourceSchedule(linger: 2 * SignificantChangeTests.second)
    var heldSeconds = 0
    var sent: [UInt64] = []
    var timer: UInt64?

    init(_ configuration: DeliveryRule.Configuration) { rule = DeliveryRule(configuration) }

    /// `metres` is where the device is at a second; nil without reception. `wakes` are the seconds of a resume.
    mutating func run(wakes: Set<UInt64> = [], _ metres: (UInt64) -> Double?) {
      final class Object {}
      let object = Object()
      var warm = 0
      for second in 0..<3_600 as Range<UInt64> {
        let now = second * SignificantChangeTests.second
        if wakes.contains(second) { check.checkNow(at: now) }
        if let due = timer, due <= now {
          timer = nil
          perform(rule.timerFired(at: now), second)
        }
        var need = SourceSchedule.Need(.exact, from: rule.mayDeliverFrom)
        if rule.configuration.isSignificant, let next = check.nextAt {
          need = SourceSchedule.Need(.exact, from: next, isCheck: true)
        }
        schedule.set(need, for: ObjectIdentifier(object))
        guard schedule.update(at: now).level != nil else {
          warm = 0
          continue
        }
        heldSeconds += 1
        warm += 1
        // A cold source takes a few seconds.
        guard warm > 5, let metres = metres(second) else { continue }
        let fix = SignificantChangeTests.fix(second, metres: metres)
        check.received(fix, at: now)
        perform(rule.received(fix, at: now), second)
      }
    }

    private mutating func perform(_ actions: [DeliveryRule.Action], _ second: UInt64) {
      for action in actions {
        switch action {
        case .deliver: sent.append(second)
        case .armTimer(let time): timer = time
        case .disarmTimer: timer = nil
        }
      }
    }
  }

  @Test func `a clock with a threshold of ten minutes holds the source for at most 5 % of an hour, and is not late`() {
    var hour = Hour(DeliveryRule.Configuration(timeThreshold: 600_000))
    hour.run { Double($0) }
    #expect(hour.heldSeconds <= 180, "\(hour.heldSeconds) s")
    #expect(hour.sent.count == 6)
    for (index, second) in hour.sent.enumerated() { #expect(second <= 5 + UInt64(index) * 601) }
  }

  @Test func `a weather program holds the source for at most 5 % of an hour`() {
    var hour = Hour(Self.significant)
    hour.run { _ in 0 }
    #expect(hour.heldSeconds <= 180, "\(hour.heldSeconds) s")
    #expect(hour.sent.count == 1)
  }

  @Test func `a drive through a tunnel, and a sleep, loses no significant change`() {
    var hour = Hour(Self.significant)
    // 20 m/s, without reception during the check at half an hour and right after the resume at 2,700 s.
    hour.run(wakes: [2_700]) { second in (1_700..<1_900).contains(second) ? nil : Double(second) * 20 }
    #expect(hour.sent.count == 2)
    #expect(hour.sent.last.map { (2_700...2_730).contains($0) } == true)
  }
}
