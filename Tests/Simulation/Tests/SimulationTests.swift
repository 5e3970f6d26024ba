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

  // Seeds that once broke a rule, named after it. Since then, the world has changed, so they also show other overlaps.
  // Each is a test of its own, so that they run in parallel processes.

  @Test func `a change of polkit's answers is reported even while logind is asked`() throws { try checkAnHour(1) }

  @Test func `the log contains the level of a subscription whose accuracy was changed`() throws { try checkAnHour(7) }

  @Test func `a location is marked with the level that it has`() throws { try checkAnHour(9) }

  @Test func `a permission that polkit does not confirm expires, whatever else polkit is asked`() throws {
    try checkAnHour(10)
  }

  @Test func `a user who returns while polkit does not answer is told that access is undecided`() throws {
    try checkAnHour(19)
  }

  @Test func `calls of a client are handled in order`() throws { try checkAnHour(25) }

  @Test func `two delayed calls of Start are both answered`() throws { try checkAnHour(34) }

  @Test func `a reduced location from an earlier run of the service is not sent after a suspend`() throws {
    try checkAnHour(35)
  }

  @Test func `a location that arrives before the timeout answers a call`() throws {
    let facts = try simulate(6, hours: 0.34, "--bus-faults", "--only", "-1")
    #expect(facts["broken"] == nil, "\(facts["story"] ?? "")")
    #expect(Double(facts["hours"] ?? "") ?? 0 > 0.4)
  }

  /// Simulates an hour with at least two hundred faults, in which no rule must be broken.
  private func checkAnHour(_ seed: Int, at location: SourceLocation = #_sourceLocation) throws {
    // Rests and departures are not counted.
    let facts = try simulate(seed, hours: 0.75)
    #expect(facts["broken"] == nil, "\(facts["story"] ?? "")", sourceLocation: location)
    #expect(Double(facts["hours"] ?? "") ?? 0 >= 1, sourceLocation: location)
    #expect(Int(facts["faults"] ?? "") ?? 0 >= 200, sourceLocation: location)
  }

  /// Returns the lines that the simulation prints, by their first word.
  private func simulate(_ seed: Int, hours: Double, _ more: String...) throws -> [String: String] {
    let program = ProcessInfo.processInfo.environment["SIMULATE"] ?? Rig.product("simulate")
    let process = try ChildProcess([program, "\(seed)", "\(hours)"] + more)
    _ = try process.waitForExit(within: .seconds(300))
    let lines = process.standardOutput.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1) }
    return Dictionary(
      lines.filter { $0.count == 2 }.map { (String($0[0]), String($0[1])) }, uniquingKeysWith: { first, _ in first })
  }
}
