// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import MainLoop
import Testing

@Suite struct RunTests {
  @Test func `quit ends run with its status`() {
    let quitting = MainLoop.main.nextTurn { MainLoop.main.quit(status: 7) }
    #expect(MainLoop.main.run() == 7)
    #expect(!quitting.isActive)
  }

  @Test func `quit without status is zero`() {
    MainLoop.main.nextTurn { MainLoop.main.quit() }.keep()
    #expect(MainLoop.main.run() == 0)
  }

  @Test func `quit before run is not lost`() throws {
    var turns = 0
    MainLoop.main.nextTurn { turns += 1 }.keep()
    MainLoop.main.quit(status: 3)
    #expect(MainLoop.main.run() == 3)
    #expect(turns == 0, "run() returned at once")
    try turning("the loop is still good") { turns == 1 }
  }

  @Test func `the first status is kept`() {
    MainLoop.main.nextTurn {
      MainLoop.main.quit(status: 1)
      MainLoop.main.quit(status: 2)
    }.keep()
    #expect(MainLoop.main.run() == 1)
  }

  @Test func `the loop runs again after quit`() {
    for status in Int32(0)..<3 {
      MainLoop.main.nextTurn { MainLoop.main.quit(status: status) }.keep()
      #expect(MainLoop.main.run() == status)
    }
  }

  /// The loop belonged for ever to the thread that had touched it first, and did nothing on any other.
  @Test func `the main actor may move to another thread`() async throws {
    for delay in [Duration.zero, .milliseconds(5_500)] {
      // Dispatch ends a thread that has had nothing to do for five seconds; the next one to serve the actor is another.
      try await Task.sleep(for: delay)
      var called = false
      MainLoop.main.nextTurn { called = true }.keep()
      try turning("a turn on this thread") { called }
    }
  }

  @Test func `iterate reports whether anything was done`() {
    while MainLoop.main.iterate() {}
    #expect(!MainLoop.main.iterate())
    MainLoop.main.nextTurn {}.keep()
    #expect(MainLoop.main.iterate())
  }
}
