// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import MainLoop
import Testing

@Suite struct RunTests {
  @Test func `run returns the first status that was passed to quit`() {
    for statuses: [Int32] in [[7], [1, 2], [0], [3]] {
      let quitting = MainLoop.main.nextTurn { for status in statuses { MainLoop.main.quit(status: status) } }
      #expect(MainLoop.main.run() == statuses[0])
      #expect(!quitting.isActive)
    }
  }

  @Test func `quit without a status makes run return zero`() {
    MainLoop.main.nextTurn { MainLoop.main.quit() }.keep()
    #expect(MainLoop.main.run() == 0)
  }

  @Test func `run returns immediately if quit was called before`() throws {
    var turns = 0
    MainLoop.main.nextTurn { turns += 1 }.keep()
    MainLoop.main.quit(status: 3)
    #expect(MainLoop.main.run() == 3)
    #expect(turns == 0, "run() returned immediately")
    try turning("the loop still works") { turns == 1 }
  }

  /// Regression: the loop belonged to the first thread that used it, and did nothing on any other.
  @Test func `the loop works on every thread that serves the main actor`() async throws {
    for delay in [Duration.zero, .milliseconds(5_500)] {
      // Dispatch ends a thread that was idle for five seconds; another one then serves the actor.
      try await Task.sleep(for: delay)
      var called = false
      MainLoop.main.nextTurn { called = true }.keep()
      try turning("a turn on this thread") { called }
    }
  }

  @Test func `iterate returns whether it has done anything`() {
    while MainLoop.main.iterate() {}
    #expect(!MainLoop.main.iterate())
    MainLoop.main.nextTurn {}.keep()
    #expect(MainLoop.main.iterate())
  }
}
