// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import MainLoop
import Testing

@Suite struct TimerTests {
  @Test func `a timer fires once, and not early`() throws {
    let start = monotonic
    var fired: [Int64] = []
    let timer = MainLoop.main.after(.milliseconds(30)) { fired.append(monotonic) }
    #expect(timer.isActive)
    try turning("the timer fires") { !fired.isEmpty }
    #expect(fired[0] - start >= 30_000)
    #expect(!timer.isActive)
    try turning(for: .milliseconds(80), "it does not fire again") { fired.count == 1 }
  }

  @Test func `a delay with a fraction of a millisecond is not rounded down`() throws {
    let start = monotonic
    var fired: Int64?
    let timer = MainLoop.main.after(.microseconds(1_500)) { fired = monotonic }
    try turning("the timer fires") { fired != nil }
    #expect(try #require(fired) - start >= 1_500)
    withExtendedLifetime(timer) {}
  }

  @Test func `a due timer fires in the next turn`() throws {
    var fired = 0
    let timers = [
      MainLoop.main.after(.milliseconds(0)) { fired += 1 }, MainLoop.main.after(.milliseconds(-5)) { fired += 1 },
      MainLoop.main.after(.milliseconds(Int64.min)) { fired += 1 }, MainLoop.main.at(.origin) { fired += 1 },
      MainLoop.main.at(.distantPast) { fired += 1 },
    ]
    MainLoop.main.iterate()
    #expect(fired == timers.count)
  }

  @Test func `a timer in the far future does not trap`() throws {
    var fired = 0
    let timers = [
      MainLoop.main.after(.milliseconds(Int64.max)) { fired += 1 },
      MainLoop.main.after(.microseconds(Int64.max)) { fired += 1 },
      MainLoop.main.at(.distantFuture) { fired += 1 },
      MainLoop.main.every(.microseconds(Int64.max)) { fired += 1 },
    ]
    try turning(for: .milliseconds(20), "they wait") { fired == 0 }
    for timer in timers { #expect(timer.isActive) }
  }

  @Test func `timers fire in the order of their deadlines`() throws {
    var order: [Int] = []
    // Timers that are due in the same turn fire in the order in which they were set.
    let delays = [2_000, 0, 1_000]
    let timers = delays.map { delay in MainLoop.main.after(.milliseconds(delay)) { order.append(delay) } }
    try turning("all fire") { order.count == 3 }
    #expect(order == delays.sorted())
    withExtendedLifetime(timers) {}
  }

  @Test func `a timer that is released with its owner does not fire`() throws {
    final class Owner {
      var timer: LoopSource?
      var fired = 0
    }
    var fired = 0
    var owner: Owner? = Owner()
    owner?.timer = MainLoop.main.after(.milliseconds(5)) { fired += 1 }
    owner = nil
    try turning(for: .milliseconds(40), "nothing fires") { fired == 0 }
  }

  @Test func `a timer may be cancelled twice`() {
    let timer = MainLoop.main.after(.milliseconds(0)) { Issue.record("it was cancelled") }
    timer.cancel()
    timer.cancel()
    #expect(!timer.isActive)
    MainLoop.main.iterate()
  }

  @Test func `a repeating timer may be released in its own action`() throws {
    var ticks = 0
    var timer: LoopSource?
    timer = MainLoop.main.every(.microseconds(1_000)) {
      ticks += 1
      if ticks == 3 { timer = nil }
    }
    try turning("three ticks") { ticks == 3 }
    try turning(for: .milliseconds(30), "no fourth") { ticks == 3 }
    #expect(timer == nil)
  }

  @Test func `a timer may cancel another timer that is due`() throws {
    var fired: [String] = []
    var second: LoopSource?
    let first = MainLoop.main.after(.milliseconds(0)) {
      fired.append("first")
      second?.cancel()
    }
    second = MainLoop.main.after(.milliseconds(0)) { fired.append("second") }
    try turning(for: .milliseconds(20), "the second is silent") { fired.count <= 1 }
    #expect(fired == ["first"])
    withExtendedLifetime(first) {}
  }

  @Test func `after a timer has fired, its action is released`() throws {
    final class Held {}
    weak var held: Held?
    var fired = false
    var timer: LoopSource?
    do {
      let object = Held()
      held = object
      timer = MainLoop.main.after(.milliseconds(1)) {
        fired = true
        withExtendedLifetime(object) {}
      }
    }
    #expect(held != nil)
    try turning("it fires") { fired }
    #expect(held == nil, "it is released after its only call")
    withExtendedLifetime(timer) {}
  }

  @Test func `delays of a repeating timer do not accumulate`() throws {
    let start = monotonic
    var ticks: [Int64] = []
    let timer = MainLoop.main.every(
      .microseconds(5_000), first: MonotonicInstant(microseconds: start + 5_000)
    ) { ticks.append(monotonic - start) }
    try turning("forty ticks") { ticks.count >= 40 }
    // Each delay is independent of the previous ones. With drift, the last one would be late by the sum of all delays.
    for (index, tick) in ticks.enumerated() { #expect(tick >= Int64(index + 1) * 5_000) }
    let phases = ticks.map { $0 % 5_000 }.sorted()
    #expect(phases[phases.count / 2] < 4_000, "half of them are on time: \(phases)")
    withExtendedLifetime(timer) {}
  }

  @Test func `a repeating timer may have a separate first deadline`() throws {
    let start = monotonic
    var ticks: [Int64] = []
    let timer = MainLoop.main.every(.microseconds(60_000_000), first: MonotonicInstant(microseconds: start + 10_000)) {
      ticks.append(monotonic - start)
    }
    try turning("the first tick") { !ticks.isEmpty }
    #expect(ticks[0] >= 10_000 && ticks[0] < 30_000_000)
    withExtendedLifetime(timer) {}
  }

  /// Regression: a program that had been stopped for an hour called a one-second action 3,600 times without a pause.
  @Test func `a repeating timer skips missed deadlines`() throws {
    var ticks: [Int64] = []
    let start = monotonic
    let timer = MainLoop.main.every(
      .microseconds(10_000), first: MonotonicInstant(microseconds: start + 10_000)
    ) {
      ticks.append(monotonic - start)
      if ticks.count == 1 { while monotonic - start < 105_000 {} }
    }
    try turning("two more ticks") { ticks.count >= 3 }
    #expect(ticks[1] >= 105_000, "\(ticks)")
    #expect(ticks[2] >= 110_000, "the third is for a deadline after the second: \(ticks)")
    withExtendedLifetime(timer) {}
  }

  @Test func `a repeating timer does not make up for deadlines in the past`() throws {
    var ticks = 0
    let timer = MainLoop.main.every(.microseconds(60_000_000), first: .distantPast) { ticks += 1 }
    try turning("the first tick") { ticks > 0 }
    // The second call follows within a minute; a third one would need a whole minute more.
    try turning(for: .milliseconds(30), "no more") { ticks <= 2 }
    withExtendedLifetime(timer) {}
  }

  @Test func `100,000 timers all fire`() throws {
    var fired = 0
    for _ in 0..<1_000 {
      let timers = (0..<100).map { _ in MainLoop.main.after(.milliseconds(0)) { fired += 1 } }
      MainLoop.main.iterate()
      withExtendedLifetime(timers) {}
    }
    #expect(fired == 100_000)
  }
}
