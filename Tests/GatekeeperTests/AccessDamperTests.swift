// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistTestSupport
import MainLoop
import Testing

@testable import GeopublicistGatekeeper

@Suite struct AccessDamperTests {
  private let agent: BusName = ":1.1"
  private let client: BusName = ":1.99"

  private func access(_ level: AccuracyLevel, _ session: Facts.Session = .active) -> UserAccess {
    UserAccess(session: session, agents: AgentLevels(least: .level(level), from: agent, others: .none))
  }

  /// Events by millisecond, and the resulting reports to clients. `held`: whether deliveries are held.
  private struct Step {
    var at: Int64
    var level: AccuracyLevel?
    var told: AccuracyLevel
    var held = false
  }

  private func run(_ steps: [Step], _ location: SourceLocation = #_sourceLocation) {
    var damper = AccessDamper()
    for step in steps {
      let before = (damper.told, damper.isHeld)
      let isChanged = damper.handle(step.level.map { access($0) }, at: .milliseconds(step.at))
      #expect(damper.told == access(step.told), "at \(step.at) ms", sourceLocation: location)
      #expect(damper.isHeld == step.held, "at \(step.at) ms", sourceLocation: location)
      #expect(isChanged == (before.0 != damper.told || before.1 && !damper.isHeld), sourceLocation: location)
    }
  }

  @Test func `a reduction of access holds deliveries immediately and is reported after 50 ms`() {
    run([
      Step(at: 0, level: .exact, told: .exact), Step(at: 5_000, level: AccuracyLevel.none, told: .exact, held: true),
      Step(at: 5_049, told: .exact, held: true), Step(at: 5_050, told: .none),
    ])
  }

  @Test func `an agent that is at level 0 for only a moment causes no report of a refusal`() {
    run([
      Step(at: 0, level: .exact, told: .exact), Step(at: 5_000, level: AccuracyLevel.none, told: .exact, held: true),
      Step(at: 5_001, level: .city, told: .city), Step(at: 6_000, level: AccuracyLevel.none, told: .city, held: true),
      // The second increase waits, and the reduction is not reported meanwhile.
      Step(at: 6_001, level: .exact, told: .city, held: true), Step(at: 6_100, told: .city, held: true),
      Step(at: 6_101, told: .exact),
    ])
  }

  @Test func `each further increase of access waits twice as long, until access has not changed for 10 s`() {
    var steps = [Step(at: 0, level: AccuracyLevel.none, told: .none), Step(at: 1_000, level: .exact, told: .exact)]
    var now: Int64 = 2_000
    for wait in [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000] as [Int64] {
      steps += [
        Step(at: now, level: AccuracyLevel.none, told: .exact, held: true), Step(at: now + 100, told: .none),
        Step(at: now + 200, level: .exact, told: .none), Step(at: now + 199 + wait, told: .none),
        Step(at: now + 200 + wait, told: .exact),
      ]
      now += 1_000 + wait
    }
    now += 10_000
    steps += [
      Step(at: now, level: AccuracyLevel.none, told: .exact, held: true), Step(at: now + 100, told: .none),
      Step(at: now + 200, level: .exact, told: .exact),
    ]
    run(steps)
  }

  @Test func `an increase of access that does not last is not applied`() {
    run([
      Step(at: 0, level: AccuracyLevel.none, told: .none), Step(at: 1, level: .city, told: .city),
      Step(at: 2, level: .exact, told: .city), Step(at: 50, level: .street, told: .city),
      Step(at: 90, level: .city, told: .city), Step(at: 95, level: .exact, told: .city),
      Step(at: 102, told: .city), Step(at: 195, told: .exact),
    ])
  }

  @Test func `deliveries are held for at most a second before the client receives a report`() {
    var damper = AccessDamper()
    _ = damper.handle(access(.exact), at: 0)
    var heldSince: MonotonicInstant?
    for millisecond in Int64(1)...60_000 {
      let now = MonotonicInstant.milliseconds(millisecond)
      _ = damper.handle(access(millisecond % 7 < 3 ? .none : .exact), at: now)
      heldSince = damper.isHeld ? heldSince ?? now : nil
      #expect(now - (heldSince ?? now) <= .seconds(1))
    }
  }

  /// Whatever the user's programs do, deliveries never exceed the allowed level, and clients receive few reports.
  @Test(arguments: 0..<40)
  func `after any sequence of changes, deliveries do not exceed the allowed level`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var damper = AccessDamper()
    let levels: [Facts.AgentLevel] = [.unknown, .none, .level(.none), .level(.city), .level(.exact)]
    var current = access(.exact)
    _ = damper.handle(current, at: 0)
    var (now, told, changes) = (MonotonicInstant.origin, damper.told, 0)
    for _ in 0..<2_000 {
      now += Int.random(in: 0...40_000, using: &generator)
      while let time = damper.deadline, time <= now {
        _ = damper.handle(at: time)
        #expect((damper.deadline ?? .max) > time)
      }
      current = UserAccess(
        session: Facts.Session.allCases.randomElement(using: &generator) ?? .active,
        agents: AgentLevels(
          least: levels.randomElement(using: &generator) ?? .none, from: agent,
          others: levels.randomElement(using: &generator) ?? .none))
      _ = damper.handle(current, at: now)
      if damper.told != told { (told, changes) = (damper.told, changes + 1) }
      #expect(damper.isHeld || damper.told.limited(by: current) == damper.told)
    }
    #expect(changes < 2 * Int(now.microseconds / 100_000) + 20)
    _ = damper.handle(at: now + 5_000_000)
    #expect(damper.told == current && !damper.isHeld && damper.deadline == nil, "the last value is never lost")
  }

  @Test func `the first known access is applied and reported without a delay`() {
    var damper = AccessDamper()
    for (time, found) in [
      UserAccess(session: .active), access(.exact), access(.exact),
    ].enumerated() {
      _ = damper.handle(found, at: MonotonicInstant(microseconds: time))
      #expect(damper.told == found && !damper.isHeld)
    }
  }

  @Test func `the level that a client announces as an agent does not apply to that client`() {
    let levels = AgentLevels(least: .level(.none), from: agent, others: .level(.exact))
    #expect(levels.level(without: client) == .level(.none))
    #expect(levels.level(without: agent) == .level(.exact))
  }
}
