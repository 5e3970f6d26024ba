// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// With a receiver alone, which is as fine as sources get: who gets a coarse location from it. GeoClue is the oracle.
@Suite(.serialized, .enabled(if: ControlGroups.areAvailable, "acts as other users, in control groups of its own"))
struct GatekeeperLevelTests {
  private let person = GatekeeperMachine.person

  @Test(arguments: [(8, true), (4, false)])
  func `a client for the city gets from a receiver what GeoClue gives its user`(_ level: Int, _ isServed: Bool) throws {
    let machine = try GatekeeperMachine(.yes)
    try machine.agent(of: person, level: level)
    let client = try machine.consumer(as: person)
    let oracle = try BusClient(at: machine.bus.address, as: person)
    try startGeoClueClient(oracle)
    let path = try client.subscribeAndStart(["accuracy": .variant("s", "city")])
    let end = ContinuousClock.now + .seconds(6)
    while ContinuousClock.now < end {
      // GeoClue opens the receiver only for a client that it serves.
      if machine.receiver.isConnected {
        try machine.receiver.write(GGASentence(latitude: 52.516275, longitude: 13.377704))
      }
      usleep(200_000)
    }
    #expect(client.locations(from: path).isEmpty == !isServed)
    #expect(oracle.received("LocationUpdated").isEmpty == !isServed)
    for location in client.locations(from: path) { #expect(location["Level"]?.string == "city") }
  }

  /// The same user asks GeoClue for everything it gives.
  private func startGeoClueClient(_ client: BusClient) throws {
    try client.match("type='signal',sender='\(geoClueName)',member='LocationUpdated'")
    let made = try client.reply(
      "CreateClient", of: "\(geoClueName).Manager", at: "/org/freedesktop/GeoClue2/Manager", of: geoClueName)
    let path = try #require(made[0].string)
    for (name, value) in [
      ("DesktopId", JSON.variant("s", "org.example.Oracle")), ("RequestedAccuracyLevel", .variant("u", 8)),
    ] {
      _ = try client.reply(
        "Set", of: "org.freedesktop.DBus.Properties", at: path, of: geoClueName, signature: "ssv",
        ["\(geoClueName).Client", .string(name), value])
    }
    _ = try client.reply("Start", of: "\(geoClueName).Client", at: path, of: geoClueName)
  }
}
