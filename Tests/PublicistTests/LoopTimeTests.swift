// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import PublicistTesting
import Testing

/// The main loop in virtual time.
@Suite struct LoopTimeTests {
  private let loop = MainLoop.main

  @Test func `timers fire in order, each at its own time`() {
    loop.withVirtualTime { time in
      var fired: [String] = []
      let note = { (name: String) in fired.append("\(name) \(time.elapsed.seconds)") }
      let timers = [
        loop.after(.seconds(7_200)) { note("late") }, loop.every(.seconds(3_000)) { note("again") },
        loop.after(.seconds(1)) { note("early") }, loop.nextTurn { note("turn") },
      ]
      loop.after(.seconds(2)) { self.loop.after(.seconds(1)) { note("nested") }.keep() }.keep()
      time.advance()
      #expect(fired == ["turn 0.0"])
      time.advance(by: .seconds(7_199))
      #expect(fired == ["turn 0.0", "early 1.0", "nested 3.0", "again 3000.0", "again 6000.0"])
      timers[1].cancel()
      time.advance(by: .seconds(100_000))
      #expect(fired.last == "late 7200.0" && fired.count == 6)
    }
  }

  @Test func `the loop's clocks and its scheduler follow the virtual time`() {
    let before = loop.clock.boottime()
    loop.withVirtualTime { time in
      let (start, now) = (loop.clock.realtime(), loop.now)
      var values: [Int] = []
      let subscription = [1].publisher.delay(for: .seconds(60), scheduler: loop).sink { values.append($0) }
      time.advance(by: .seconds(59))
      #expect(values.isEmpty)
      time.advance(by: .seconds(1))
      #expect(values == [1] && loop.clock.realtime() - start == 60_000_000)
      #expect(now.distance(to: loop.now) == 60 && loop.clock.boottime() - before >= .seconds(60))
      subscription.cancel()
    }
    #expect(loop.clock.boottime() - before < .seconds(60), "the clock of the kernel is back")
  }

  @Test func `a timer that waits at the end of the virtual time follows the kernel's clock`() throws {
    var hasFired = false
    let timer = loop.withVirtualTime { _ in loop.after(.milliseconds(20)) { hasFired = true } }
    #expect(!hasFired)
    try turning("it fires") { hasFired }
    withExtendedLifetime(timer) {}
  }
}
