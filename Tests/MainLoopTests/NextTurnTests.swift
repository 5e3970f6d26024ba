// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import MainLoop
import Testing

@Suite struct NextTurnTests {
  @Test func `an action for the next turn runs once, and not inside the call that schedules it`() throws {
    var calls = 0
    let source = MainLoop.main.nextTurn { calls += 1 }
    #expect(calls == 0)
    try turning("its turn begins") { calls == 1 }
    try turning(for: .milliseconds(20), "it is not called again") { calls == 1 }
    #expect(!source.isActive)
  }

  @Test func `actions for the next turn run in the order of scheduling`() throws {
    var order: [Int] = []
    let sources = (0..<20).map { number in MainLoop.main.nextTurn { order.append(number) } }
    try turning("all run") { order.count == 20 }
    #expect(order == Array(0..<20))
    withExtendedLifetime(sources) {}
  }

  @Test func `an action that is scheduled during a turn runs in the next turn`() throws {
    var turns = 0
    var inner: LoopSource?
    var innerTurn: Int?
    let outer = MainLoop.main.nextTurn { inner = MainLoop.main.nextTurn { innerTurn = turns } }
    while innerTurn == nil, turns < 10 {
      MainLoop.main.iterate()
      turns += 1
    }
    #expect(innerTurn == 1)
    withExtendedLifetime((outer, inner)) {}
  }

  @Test func `an action of whileTrue runs until it returns false`() throws {
    var calls = 0
    let source = MainLoop.main.whileTrue {
      calls += 1
      return calls < 5
    }
    try turning("five calls") { calls == 5 }
    try turning(for: .milliseconds(20), "no more") { calls == 5 }
    #expect(!source.isActive)
  }

  @Test func `an action that always repeats does not starve a timer`() throws {
    var fired = false
    let busy = MainLoop.main.whileTrue { true }
    let timer = MainLoop.main.after(.milliseconds(5)) { fired = true }
    try turning("the timer fires all the same") { fired }
    withExtendedLifetime((busy, timer)) {}
  }

  @Test func `a source that is kept without an owner exists until it ends or is cancelled`() throws {
    var (calls, ticks) = (0, 0)
    weak var once: LoopSource?
    weak var ticking: LoopSource?
    do {
      let source = MainLoop.main.nextTurn { calls += 1 }
      let timer = MainLoop.main.every(.microseconds(1_000)) { ticks += 1 }
      for kept in [source, timer] { kept.keep() }
      (once, ticking) = (source, timer)
    }
    try turning("both are called") { calls == 1 && ticks > 2 }
    #expect(once == nil && ticking != nil)
    ticking?.cancel()
    #expect(ticking == nil)
  }
}
