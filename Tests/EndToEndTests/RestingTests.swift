// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// A source that is released between two deliveries, and what brings it back early.
@Suite(.serialized) final class RestingTests: SimulatedMachine {
  private let manager: BusClient

  init() throws {
    let bus = try PrivateBus(.session)
    manager = try BusClient(at: bus.address)
    try manager.own("org.freedesktop.NetworkManager")
    try super.init(on: bus)
  }

  private func changeConnection(_ property: String = "PrimaryConnection", from sender: BusClient) throws {
    try sender.emit(
      "PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: "/org/freedesktop/NetworkManager",
      signature: "sa{sv}as",
      [
        "org.freedesktop.NetworkManager",
        .object([property: .variant("o", "/org/freedesktop/NetworkManager/ActiveConnection/2")]), [],
      ])
  }

  private var clientsMade: Int { geoclue.calls.count { $0.member == "CreateClient" } }

  /// A subscription to significant changes and a region far from its border, both resting.
  private func rested() throws -> (significant: String, region: String) {
    let significant = try client.subscribeAndStart(["mode": .variant("s", "significant")])
    let region = try client.regionStarted(ConsumerProgram.circle(52, 13))
    try geoclue.fix(latitude: 50, longitude: 13)
    try client.waitFor(["determined"], region)
    _ = try client.locations(1, from: significant)
    try client.waitFor("StateReason", "resting", within: .seconds(20))
    #expect(clientsMade == 1)
    return (significant, region)
  }

  @Test func `another primary connection is a reason to look, and only NetworkManager is believed`() throws {
    let (significant, region) = try rested()
    try changeConnection(from: try BusClient(at: bus.address))
    try changeConnection("Connectivity", from: manager)
    try always("nothing is looked for", for: .milliseconds(500)) { clientsMade == 1 }
    try changeConnection(from: manager)
    try eventually("GeoClue is asked again") { clientsMade == 2 }
    try geoclue.fix(latitude: 52, longitude: 13)
    // The region is entered; the other one may be told only five minutes after the first.
    try client.waitFor(["determined", "entered"], region)
    #expect(client.locations(from: significant).count == 1)
    // A connection that comes and goes does not keep the source busy.
    try client.waitFor("StateReason", "resting", within: .seconds(45))
    try changeConnection(from: manager)
    try always("it is left alone", for: .milliseconds(500)) { clientsMade == 2 }
    #expect(daemon.isRunning)
  }
}
