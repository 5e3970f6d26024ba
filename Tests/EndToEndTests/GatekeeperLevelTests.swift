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
    try oracle.match("type='signal',sender='\(geoClueName)',member='LocationUpdated'")
    #expect(try oracle.startGeoClueClient().answer == .reply([]))
    let path = try client.subscribeAndStart(["accuracy": .variant("s", "city")])
    let end = ContinuousClock.now + .seconds(6)
    while ContinuousClock.now < end {
      // GeoClue opens the receiver only for a client that it serves.
      if machine.receiver.isConnected { try machine.receiver.write(.berlin) }
      usleep(200_000)
    }
    #expect(client.locations(from: path).isEmpty == !isServed)
    #expect(oracle.received("LocationUpdated").isEmpty == !isServed)
    for location in client.locations(from: path) { #expect(location["Level"]?.string == "city") }
  }
}
