// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// A user who acts as thousands of subordinate users receives no more than one user. On both buses: dbus-broker admits
/// subordinate users without an account, dbus-daemon only those with one.
@Suite(.serialized, .enabled(if: ControlGroups.areAvailable, "needs other users"))
struct SubordinateTests {
  /// Starts a number of the user's subordinate users, and returns how many objects they created together.
  private func hoard(_ kind: String, _ users: Int, _ each: Int, on machine: GatekeeperFixture) throws
    -> (hoarding: ChildProcess, count: Int)
  {
    let hoarding = try ChildProcess.ready([
      Rig.python, Rig.file("many-clients.py"), machine.bus.address, "hoard", kind, "\(users)", "\(each)",
    ])
    let line = try eventual("a number", seen: hoarding.output) {
      hoarding.newLines().last { $0 != "ready" }
    }
    return (hoarding, Int(line) ?? 0)
  }

  @Test func `ten subordinate ids share the region limit of the user who owns them`() throws {
    let machine = try GatekeeperFixture(.yes)
    let (hoarding, count) = try hoard("region", 10, 100, on: machine)
    defer { hoarding.kill() }
    #expect(count == 100)
    let other = try machine.client(as: GatekeeperFixture.named)
    for _ in 0..<20 { _ = try other.createRegion(ServiceClient.circle(52, 13)).arguments() }
    let user = try machine.client(as: GatekeeperFixture.user)
    let answer = try user.createRegion(ServiceClient.circle(52, 13))
    #expect(answer.errorMessage?.contains("regions-per-user") == true, "the user is charged for them")
  }

  @Test func `256 subordinate ids do not use up other users' subscriptions, agent searches and log lines`() throws {
    let machine = try GatekeeperFixture(.yes)
    let witness = try machine.client(as: 0)
    let path = try witness.subscribeAndStart()
    let sentences = walk(5)
    try machine.receiver.write(sentences[0])
    _ = try witness.locations(1, from: path)
    let (hoarding, count) = try hoard("subscription", 256, 16, on: machine)
    defer { hoarding.kill() }
    #expect((256...512).contains(count), "\(count)")
    let other = try machine.client(as: GatekeeperFixture.named)
    for _ in 0..<16 { _ = try other.subscribe() }
    let time = try processorTime(of: machine)
    for (step, sentence) in sentences.dropFirst().enumerated() {
      try machine.receiver.write(sentence)
      _ = try witness.locations(step + 2, from: path)
      try always("the witness is served", for: .seconds(1)) { try witness.property("Version") != "" }
    }
    let used = try processorTime(of: machine) - time
    let log = machine.service.standardError.split(separator: "\n")
    let lines = log.count { $0.contains(": location, level ") && $0.contains(", user 100") }
    print("\(count) subscriptions, \(used) s of processor time, \(lines) lines")
    #expect(used < 1, "searches for agents cost \(used) s of processor time")
    #expect((1...30).contains(lines), "\(lines) lines")
  }

  /// In seconds.
  private func processorTime(of machine: GatekeeperFixture) throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(machine.service.processIdentifier)/stat", encoding: .utf8)
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    return fields[11...12].reduce(0) { $0 + (Double($1) ?? 0) } / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
