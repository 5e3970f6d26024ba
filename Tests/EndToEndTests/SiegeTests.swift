// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// Whatever root and strangers do to the daemon, the same process stands and answers.
@Suite(.serialized) struct SiegeTests {
  /// Every attack that Tests/Fuzz/Bus knows, in one place; `Tests/Rig/fuzz.sh bus` takes longer over it.
  private func besiege(_ place: String) throws {
    let siege = try run(
      [
        Rig.python, Rig.sourceFile("Tests/Fuzz/Bus/besiege.py"), Rig.product("geopublicistd"),
        PrivateBus.Broker.chosen.rawValue, "2", place,
      ],
      within: .seconds(300))
    #expect(siege.succeeded, "\(siege.standardOutput)\n\(siege.standardError)")
  }

  @Test func `every attack is survived on a system bus`() throws { try besiege("system") }

  @Test func `every attack is survived among impostors`() throws { try besiege("impostors") }

  /// dbus-broker lets headers pass for which libdbus leaves the bus: the daemon ended with that, or came back without its
  /// subscriptions.
  @Test func `D22: clients notice nothing when the daemon is thrown out by the bus and comes back`() throws {
    let machine = try SimulatedMachine()
    let (bus, daemon, consumer) = (machine.bus, machine.daemon, machine.client)
    let path = try consumer.subscribeAndStart()
    let region = try consumer.regionStarted(ConsumerProgram.circle(50, 13))
    try machine.expectAFix(at: path, latitude: 50)
    try consumer.waitFor(["determined"], region)
    let leaving = try ConsumerProgram(on: bus)
    _ = try leaving.subscribeAndStart()
    for round in 1...3 {
      let attack = try run(
        [Rig.python, Rig.sourceFile("Tests/Fuzz/Bus/attack.py"), bus.address, Daemon.name, "0", "1", "headers"],
        within: .seconds(120))
      #expect(attack.succeeded, "\(attack.standardOutput)\n\(attack.standardError)")
      try eventually("it answers", turn: rest) { (try? consumer.property("State")) == "running" }
      try machine.measure(50 + Double(round), until: path)
      if round == 2 { leaving.client.kill() }
    }
    #expect(daemon.isRunning)
    try eventually("who has left is gone", turn: rest) { try consumer.subscriptions().count == 2 }
    #expect(try consumer.subscriptions().map { $0["Path"]?.content.string } == [path, region])
    try consumer.waitFor(["determined", "exited"], region)
    #expect(consumer.client.received("Closed").isEmpty)
    #expect(consumer.client.received("AuthorizationChanged").allSatisfy { $0.first == "authorized-always" })
    if PrivateBus.Broker.chosen == .dbusBroker { #expect(daemon.log.contains("the service is back as")) }
    daemon.signal(SIGTERM)
    #expect(try daemon.waitForExit() == .status(0))
  }
}
