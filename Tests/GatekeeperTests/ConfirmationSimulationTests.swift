// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import MainLoop
import Testing

@testable import GeopublicistGatekeeper

/// polkit and logind with slow answers, overlapping changes and restarts. In any order, deliveries end within 200 ms
/// after a real revocation, and every call is answered.
@Suite struct ConfirmationSimulationTests {
  /// A fact that another program decides, and calls that wait for it.
  private final class World: SimulatedTime {
    /// The true value, and the time since which it has been false.
    private(set) var isAllowed = true
    private(set) var revoked: Int64?
    private(set) var isThere = true
    var waiting = 0

    /// The fact changes, the program announces a change or restarts, or a call needs the fact.
    func step(doubt: @escaping () -> Void, leave: () -> Void, come: @escaping () -> Void, want: () -> Void) {
      switch number(0...9) {
      case 0...3:
        let isAllowed = number(0...1) == 0
        if self.isAllowed, !isAllowed { revoked = now }
        if isAllowed { revoked = nil }
        self.isAllowed = isAllowed
        after(number(0...10), doubt)
      case 4: doubt()
      case 5:
        isThere = false
        leave()
        after(number(1...1_500)) { [self] in
          isThere = true
          come()
        }
      default:
        waiting += 1
        want()
      }
    }

    /// The program decides at some time between a question and its reply; sometimes it hangs.
    func decide<Answer>(
      within most: Int64, hangs: Int64, _ decide: @escaping () -> Answer, then reply: @escaping (Answer) -> Void
    ) {
      let (before, after) = (number(0...most), number(0...most))
      let hang: Int64 = number(0...hangs) == 0 ? number(500...3_000) : 0
      self.after(before) { [self] in
        let answer = decide()
        self.after(after + hang) { reply(answer) }
      }
    }

    func check(delivers: Bool) {
      if delivers, let revoked, now - revoked > 200 { Issue.record("delivers \(now - revoked) ms after a revocation") }
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `after any sequence of changes at polkit, every call is answered and the last rules apply`(_ seed: UInt64) {
    let world = World(seed: seed)
    var answers = PolicyAnswers()
    var timer: MonotonicInstant?
    var asked: Set<PolkitAction> = []

    func handle(_ event: PolicyAnswers.Event) {
      let actions = answers.handle(event, at: .milliseconds(world.now))
      timer = answers.deadline
      for action in actions {
        switch action {
        case .ask(let action, _): ask(action)
        case .changed: break
        case .ready: world.waiting = 0
        }
      }
    }
    func ask(_ action: PolkitAction) {
      // A pending question is not repeated, as in PolkitQueue.
      guard asked.insert(action).inserted else { return }
      world.decide(within: 15, hangs: 30) {
        action != .accessWithoutAgent && world.isAllowed ? Facts.Answer.yes : .no
      } then: { answer in
        asked.remove(action)
        handle(.answered(action, PolkitReply(answer)))
      }
    }
    let doubt = { handle(.doubted(isServed: true)) }
    world.repeatedly { world.step(doubt: doubt, leave: doubt, come: doubt, want: { handle(.wanted) }) }
    world.run(until: 30_000) {
      if let time = timer, .milliseconds(world.now) >= time {
        handle(.timer(isServed: true, isPolkitThere: world.isThere))
      }
      world.check(delivers: answers.answer(to: .accessPrecise) == .yes && !answers.isHeld(at: .milliseconds(world.now)))
    }
    #expect(world.waiting == 0, "every call continues")
    #expect(!answers.isHeld(at: .milliseconds(world.now)))
    #expect((answers.answer(to: .accessPrecise) == .yes) == world.isAllowed, "the final state is known")
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `after any sequence of changes at logind, every call is answered and the last state applies`(_ seed: UInt64) {
    let world = World(seed: seed &+ 1_000)
    var state = SessionState()
    var timer: MonotonicInstant?

    func handle(_ event: SessionState.Event) {
      let actions = state.handle(event, at: .milliseconds(world.now))
      timer = state.deadline
      for action in actions {
        switch action {
        case .ask:
          world.decide(within: 10, hangs: 20) {
            world.isThere ? SessionState.Event.answered(world.isAllowed ? .active : .inactive) : .lost
          } then: {
            handle($0)
          }
        case .changed: break
        case .ready: world.waiting = 0
        }
      }
    }
    world.repeatedly {
      world.step(
        doubt: { handle(.doubted) }, leave: { handle(.left) }, come: { handle(.came) }, want: { handle(.wanted) })
    }
    world.run(until: 30_000) {
      if let time = timer, .milliseconds(world.now) >= time { handle(.timer) }
      world.check(delivers: state.state == .active && !state.isHeld(at: .milliseconds(world.now)))
    }
    #expect(world.waiting == 0, "every call continues")
    #expect(!state.isHeld(at: .milliseconds(world.now)))
    #expect((state.state == .active) == world.isAllowed, "the final state is known")
  }
}

/// Virtual time in milliseconds, with events at random times.
class SimulatedTime {
  var random: SeededGenerator
  var now: Int64 = 0
  private var events: [(time: Int64, action: () -> Void)] = []

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }

  func after(_ milliseconds: Int64, _ action: @escaping () -> Void) { events.append((now + milliseconds, action)) }

  /// Runs the actions that are due at each millisecond, then the checks.
  func run(until end: Int64, _ check: () -> Void) {
    while now < end {
      now += 1
      while let index = events.indices.filter({ events[$0].time <= now }).min(by: { events[$0].time < events[$1].time })
      {
        events.remove(at: index).action()
      }
      check()
    }
  }

  /// Runs an action for 20 seconds, in bursts with occasional pauses.
  func repeatedly(_ step: @escaping () -> Void) {
    step()
    after(number(0...3) == 0 ? number(300...2_000) : number(1...30)) { [self] in
      if now < 20_000 { repeatedly(step) }
    }
  }
}
