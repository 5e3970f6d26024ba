// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import Testing

@testable import GeopublicistGatekeeper

/// polkit and logind as they might be: answers take their time, changes overlap, names come and go. Whatever the order,
/// nothing is delivered for longer than 200 ms after a real revocation, and every call goes on.
@Suite struct ConfirmationSimulationTests {
  /// Milliseconds of a fact that an outside program decides, and how that program answers.
  private final class World {
    var random: SeededGenerator
    var now: Int64 = 0
    /// The truth, and since when it has been no.
    var isAllowed = true
    var revoked: Int64?
    /// What is still to happen, in milliseconds.
    private var events: [(time: Int64, action: () -> Void)] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }

    func after(_ milliseconds: Int64, _ action: @escaping () -> Void) { events.append((now + milliseconds, action)) }

    func run(until end: Int64, _ check: () -> Void) {
      while now < end {
        now += 1
        while let index = events.indices.filter({ events[$0].time <= now }).min(by: {
          events[$0].time < events[$1].time
        }) {
          events.remove(at: index).action()
        }
        check()
      }
    }

    func change(to isAllowed: Bool) {
      if self.isAllowed, !isAllowed { revoked = now }
      if isAllowed { revoked = nil }
      self.isAllowed = isAllowed
    }

    /// Whether a delivery at this moment is one too many.
    var isTooLate: Bool { revoked.map { now - $0 > 200 } ?? false }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `polkit's changes overlap as they like`(_ seed: UInt64) {
    let world = World(seed: seed)
    var answers = PolicyAnswers()
    var waiting = 0
    var timer: Int64?
    var isThere = true
    var asked: Set<PolkitAction> = []

    func handle(_ event: PolicyAnswers.Event) {
      let actions = answers.handle(event, at: world.now * 1_000)
      timer = answers.wakeUp
      for action in actions {
        switch action {
        case .ask(let action, _): ask(action)
        case .changed, .held: break
        case .ready: waiting = 0
        }
      }
    }
    func ask(_ action: PolkitAction) {
      // A question that is asked already is not asked twice: see CheckQueue.
      guard asked.insert(action).inserted else { return }
      // polkit decides somewhere between the question and its reply; now and then it hangs.
      let (before, after) = (world.number(0...15), world.number(0...15))
      let hang: Int64 = world.number(0...30) == 0 ? world.number(500...3_000) : 0
      world.after(before) {
        let answer: Facts.Answer = action != .accessWithoutAgent && world.isAllowed ? .yes : .no
        world.after(after + hang) {
          asked.remove(action)
          handle(.answered(action, PolkitReply(answer)))
        }
      }
    }
    func step() {
      switch world.number(0...9) {
      case 0...3:
        world.change(to: world.number(0...1) == 0)
        world.after(world.number(0...10)) { handle(.doubted(isServed: true)) }
      case 4: world.after(0) { handle(.doubted(isServed: true)) }
      case 5:
        isThere = false
        handle(.doubted(isServed: true))
        world.after(world.number(1...1_500)) {
          isThere = true
          handle(.doubted(isServed: true))
        }
      default:
        waiting += 1
        handle(.wanted)
      }
      // A pause now and then, and bursts.
      world.after(world.number(0...3) == 0 ? world.number(300...2_000) : world.number(1...30)) {
        if world.now < 20_000 { step() }
      }
    }
    step()
    world.run(until: 30_000) {
      if let time = timer, world.now * 1_000 >= time { handle(.timer(isServed: true, isPolkitThere: isThere)) }
      let delivers = answers.answer(to: .accessPrecise) == .yes && !answers.isHeld(at: world.now * 1_000)
      if delivers, world.isTooLate {
        Issue.record("delivers \(world.now - (world.revoked ?? 0)) ms after a revocation")
      }
    }
    #expect(waiting == 0, "every call goes on")
    #expect(!answers.isHeld(at: world.now * 1_000))
    #expect((answers.answer(to: .accessPrecise) == .yes) == world.isAllowed, "in the end it is known")
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `logind's changes overlap as they like`(_ seed: UInt64) {
    let world = World(seed: seed &+ 1_000)
    var state = SessionState()
    var waiting = 0
    var timer: Int64?
    var isThere = true

    func handle(_ event: SessionState.Event) {
      let actions = state.handle(event, at: world.now * 1_000)
      timer = state.wakeUp
      for action in actions {
        switch action {
        case .ask: ask()
        case .changed, .held: break
        case .ready: waiting = 0
        }
      }
    }
    func ask() {
      let (before, after) = (world.number(0...10), world.number(0...10))
      let hang: Int64 = world.number(0...20) == 0 ? world.number(500...3_000) : 0
      world.after(before) {
        let answer: SessionState.Event = isThere ? .answered(world.isAllowed ? .active : .inactive) : .lost
        world.after(after + hang) { handle(answer) }
      }
    }
    func step() {
      switch world.number(0...9) {
      case 0...3:
        world.change(to: world.number(0...1) == 0)
        world.after(world.number(0...10)) { handle(.doubted) }
      case 4: handle(.doubted)
      case 5:
        isThere = false
        handle(.left)
        world.after(world.number(1...1_500)) {
          isThere = true
          handle(.came)
        }
      default:
        waiting += 1
        handle(.wanted)
      }
      world.after(world.number(0...3) == 0 ? world.number(300...2_000) : world.number(1...30)) {
        if world.now < 20_000 { step() }
      }
    }
    step()
    world.run(until: 30_000) {
      if let time = timer, world.now * 1_000 >= time { handle(.timer) }
      let delivers = state.state == .active && !state.isHeld(at: world.now * 1_000)
      if delivers, world.isTooLate {
        Issue.record("delivers \(world.now - (world.revoked ?? 0)) ms after a revocation")
      }
    }
    #expect(waiting == 0, "every call goes on")
    #expect(!state.isHeld(at: world.now * 1_000))
    #expect((state.state == .active) == world.isAllowed, "in the end it is known")
  }
}
