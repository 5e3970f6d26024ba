// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// `geopublicist doctor` for an ordinary person, with the real polkit and GeoClue.
@Suite(.serialized, .enabled(if: Rig.isRoot, "acts as other users")) struct DoctorForAPersonTests {
  /// What it finds, by subject.
  private func examine(_ machine: GatekeeperMachine) throws -> [String: (outcome: String, finding: String)] {
    let doctor = try ChildProcess(
      [Rig.product("geopublicist"), "doctor", "--json"], environment: ["DBUS_SYSTEM_BUS_ADDRESS": machine.bus.address],
      as: GatekeeperMachine.person)
    // As a receiver: while somebody listens.
    try eventually("its end", within: .seconds(60)) {
      if doctor.exited == nil, machine.receiver.isConnected {
        try machine.receiver.write(GGASentence(latitude: 52.5, longitude: 13.25))
        usleep(50_000)
      }
      return doctor.exited != nil
    }
    let lines = doctor.standardOutput.split(separator: "\n").compactMap { JSON(line: String($0)) }
    return Dictionary(
      lines.map { ($0["Subject"]?.string ?? "", ($0["Outcome"]?.string ?? "", $0["Finding"]?.string ?? "")) },
      uniquingKeysWith: { first, _ in first })
  }

  @Test func `doctor finds no problem where a fix arrives`() throws {
    let machine = try GatekeeperMachine(.yes)
    try machine.agent(of: GatekeeperMachine.person)
    let found = try examine(machine)
    #expect(found.values.allSatisfy { $0.outcome != "problem" }, "\(found)")
    #expect(found["fix"]?.outcome == "ok" && found["agent"]?.outcome == "ok", "\(found)")
  }

  @Test func `doctor reports a polkit rule that forbids location`() throws {
    let machine = try GatekeeperMachine(.no)
    try machine.agent(of: GatekeeperMachine.person)
    let found = try examine(machine)
    #expect(found["polkit"]?.finding.contains("a rule forbids it") == true, "\(found)")
  }

  @Test func `doctor reports that location is turned off`() throws {
    let machine = try GatekeeperMachine(.yes)
    try machine.agent(of: GatekeeperMachine.person, level: 0)
    #expect(try examine(machine)["switch"]?.outcome == "problem")
  }
}
