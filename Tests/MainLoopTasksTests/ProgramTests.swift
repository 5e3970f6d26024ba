// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// A separate program whose loop serves tasks, because the test run itself already serves the main queue.
@Suite(.serialized) struct ProgramTests {
  @Test func `tasks on GLib's main loop can sleep, follow publishers and be cancelled`() throws {
    let result = try run([Rig.product("tasks-example")])
    #expect(result.exit == .status(0), "\(result.standardError)")
    #expect(
      result.standardOutput.split(separator: "\n") == [
        "the loop runs", "a task on the main actor", "computed elsewhere: 5050", "slept", "tick 1", "tick 2", "tick 3",
        "value 1", "the subscription is cancelled", "the loop has ended",
      ])
  }

  @Test func `a debug build prints one hint if the loop does not serve tasks`() throws {
    let process = try ChildProcess([Rig.product("GeopublicistTasksBenchmark"), "unserved"])
    try eventually("the hint") { process.standardError.contains("call MainLoop.main.serveTasks()") }
    #expect(process.exited == nil && process.standardError.count(where: \.isNewline) == 1)
  }

  @Test func `a loop that serves tasks does not wake up while there are none`() throws {
    let result = try run([Rig.product("GeopublicistTasksBenchmark"), "idle"])
    let line = try #require(result.standardOutput.split(separator: "\n").last)
    // The end of a sleep of two seconds wakes one or two threads; polling would show hundreds.
    let wakeUps = try #require(line.split(separator: " ").last.flatMap { Int($0) })
    #expect(wakeUps < 10, "\(line)")
  }

  /// The names of all symbols of a module contain the module's name.
  private func links(_ program: String, _ module: String) throws -> Bool {
    let bytes = try Data(contentsOf: URL(filePath: Rig.product(program)), options: .alwaysMapped)
    return bytes.range(of: Data("$s\(module.count)\(module)".utf8)) != nil
  }

  @Test func `the service does not link the modules for tasks`() throws {
    for module in ["MainLoopTasks", "Combine"] { #expect(try !links("geopublicistd", module)) }
    #expect(try links("geopublicistd", "MainLoop"))
    #expect(try links("tasks-example", "MainLoopTasks"))
  }
}
