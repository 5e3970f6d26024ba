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

  /// dbus-broker lets headers pass for which libdbus leaves the bus, and the daemon ended with that.
  @Test func whoIsThrownOutByAHeaderComesBack() throws {
    let bus = try PrivateBus(.session)
    let daemon = try Daemon(.session, on: bus)
    let consumer = try ConsumerProgram(on: bus)
    let path = try consumer.subscribe()
    for _ in 0..<3 {
      let attack = try run(
        [
          Rig.python, Rig.sourceFile("Tests/Fuzz/Bus/attack.py"), bus.address, Daemon.name, "0", "1", "headers",
        ],
        within: .seconds(120))
      #expect(attack.succeeded, "\(attack.standardOutput)\n\(attack.standardError)")
    }
    try eventually("it answers", turn: rest) { (try? consumer.property("State")) == "idle" }
    #expect(daemon.isRunning)
    if PrivateBus.Broker.chosen == .dbusBroker {
      #expect(daemon.log.contains("ended a connection"))
      // As after a restart of the daemon, which every consumer has to bear.
      #expect(try !consumer.subscriptions().contains { $0["Path"]?.content.string == path })
    }
    daemon.signal(SIGTERM)
    #expect(try daemon.waitForExit() == .status(0))
  }

  @Test func theEndOfTheBusIsTheEndOfTheDaemon() throws {
    let bus = try PrivateBus(.session)
    let daemon = try Daemon(.session, on: bus)
    bus.kill()
    #expect(try daemon.waitForExit(within: .seconds(60)) == .status(1))
  }
}
