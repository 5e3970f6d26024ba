// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

@Suite struct SimulationTests {
  /// Also in the session deployment, and with a bus that is restarted.
  @Test(arguments: [7, 4, 16]) func `two simulations with the same seed have the same trace`(seed: Int) throws {
    let (first, second) = (try simulate(seed, hours: 0.1), try simulate(seed, hours: 0.1))
    #expect(first["hash"] != nil)
    #expect(first == second)
    #expect(try simulate(seed + 1, hours: 0.1)["hash"] != first["hash"])
  }

  @Test func `a simulation of two hours without faults breaks no rule`() throws {
    let facts = try simulate(1, hours: 2, "--only", "-1")
    #expect(facts["broken"] == nil)
    #expect(Double(facts["hours"] ?? "") ?? 0 > 2)
    #expect(Int(facts["locations"] ?? "") ?? 0 > 6_000)
  }

  /// Each of these seeds once broke an invariant.
  @Test(arguments: [
    (1, "a change of polkit's answers is reported even while logind is asked"),
    (7, "the log contains the level of a subscription whose accuracy was changed"),
    (9, "a location is marked with the level that it has"),
    (10, "a permission that polkit does not confirm expires, whatever else polkit is asked"),
    (19, "a user who returns while polkit does not answer is told that access is undecided"),
    (25, "calls of a client are handled in order"),
    (34, "two delayed calls of Start are both answered"),
    (35, "a reduced location from an earlier run of the service is not sent after a suspend"),
  ])
  func `a simulated hour with three hundred faults breaks no rule`(seed: Int, rule: String) throws {
    let facts = try simulate(seed, hours: 1)
    #expect(facts["broken"] == nil, "\(facts["story"] ?? "")")
    #expect(Int(facts["faults"] ?? "") ?? 0 >= 200)
  }

  /// Returns the lines that the simulation prints, by their first word.
  private func simulate(_ seed: Int, hours: Double, _ more: String...) throws -> [String: String] {
    let process = try ChildProcess([Rig.product("simulate"), "\(seed)", "\(hours)"] + more)
    _ = try process.waitForExit(within: .seconds(300))
    let lines = process.standardOutput.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1) }
    return Dictionary(
      lines.filter { $0.count == 2 }.map { (String($0[0]), String($0[1])) }, uniquingKeysWith: { first, _ in first })
  }
}
