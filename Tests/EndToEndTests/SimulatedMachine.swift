// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport

/// The service with a simulated GeoClue and one client, on a bus of their own.
class SimulatedMachine {
  let bus: PrivateBus
  let geoclue: FakeGeoClue
  let daemon: Daemon
  let client: ConsumerProgram

  /// Starts all of it; GeoClue is prepared before the service starts.
  init(on bus: PrivateBus? = nil, idleSeconds: Double = 0, prepare: (FakeGeoClue) throws -> Void = { _ in }) throws {
    let bus = try bus ?? PrivateBus(.system)
    self.bus = bus
    geoclue = try FakeGeoClue(on: bus, idleSeconds: idleSeconds)
    try prepare(geoclue)
    daemon = try Daemon(.system, on: bus)
    client = try ConsumerProgram(on: bus)
  }

  /// How many clients the service has made at GeoClue.
  var clientsMade: Int { geoclue.count(of: "CreateClient") }

  /// Has GeoClue measure a latitude until it is the last that a subscription has delivered.
  func measure(_ latitude: Double, until path: String) throws {
    try eventually("a location at \(latitude)", within: .seconds(20), turn: rest) {
      try geoclue.fix(latitude: latitude)
      return client.latitudes(from: path).last == latitude
    }
  }

  /// Has GeoClue measure once for a client that is started, and waits until the location arrives. A new subscription may be
  /// told the one before first.
  func expectAFix(at path: String, latitude: Double) throws {
    try geoclue.startedClient()
    try geoclue.fix(latitude: latitude)
    try eventually("the fix at \(latitude) arrives") { client.latitudes(from: path).contains(latitude) }
  }
}

extension BusClient {
  /// A program that owns a name on a session bus, and the bus.
  static func owning(_ name: String) throws -> (client: BusClient, bus: PrivateBus) {
    let bus = try PrivateBus(.session)
    let client = try BusClient(at: bus.address)
    try client.own(name)
    return (client, bus)
  }

  /// Announces a suspend or its end, as logind does.
  func prepareForSleep(_ isBefore: Bool) throws {
    try emit(
      "PrepareForSleep", of: "org.freedesktop.login1.Manager", at: "/org/freedesktop/login1", signature: "b",
      [.bool(isBefore)])
  }

  /// Announces that properties have changed.
  func announceChange(
    of interface: String, at path: String, to destination: String? = nil, _ properties: [String: JSON]
  ) throws {
    try emit(
      "PropertiesChanged", of: busProperties, at: path, to: destination, signature: "sa{sv}as",
      [.string(interface), .object(properties), []])
  }
}
