// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// Every fault of GeoClue and every method of the service: each call is answered in time with the cause, and the service
/// recovers without a restart.
@Suite(.serialized) struct FaultTests {
  nonisolated struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    /// The action of ``FakeGeoClue/fault(on:_:_:)``, or one of two words of this suite.
    let action: String
    var member = ""
    var parameters: [String: JSON] = [:]
    /// The errors that `GetLocation` may return.
    var errors: Set<String> = ["Timeout", "Unavailable", "NotAuthorized"]

    var testDescription: String { name }

    @MainActor func begin(_ geoclue: FakeGeoClue) throws {
      switch action {
      case "kill": geoclue.kill()
      case "measure nothing": try geoclue.tell(["fix": .null])
      default: try geoclue.fault(on: member, action, parameters)
      }
    }

    @MainActor func end(_ geoclue: FakeGeoClue) throws {
      switch action {
      case "kill", "exit": try geoclue.restart()
      case "measure nothing": break
      case "hang": try geoclue.release(member)
      default: try geoclue.tell(["heal": .string(member)])
      }
    }
  }

  nonisolated static let faults: [Fault] = [
    Fault(name: "it is not there", action: "kill", errors: ["Unavailable"]),
    Fault(name: "CreateClient is never answered", action: "hang", member: "CreateClient"),
    Fault(
      name: "CreateClient is refused", action: "refuse", member: "CreateClient",
      parameters: ["name": "org.freedesktop.DBus.Error.Failed", "text": "no memory"]),
    Fault(
      name: "CreateClient answers garbage", action: "reply", member: "CreateClient",
      parameters: ["signature": "s", "arguments": ["/nowhere"]]),
    Fault(name: "Start is never answered", action: "hang", member: "Start"),
    Fault(
      name: "Start is refused", action: "refuse", member: "Start",
      parameters: ["name": "org.freedesktop.DBus.Error.AccessDenied", "text": "Geolocation disabled for UID 0"]),
    Fault(name: "it exits when a client is started", action: "exit", member: "Start"),
    Fault(
      name: "locations cannot be read", action: "reply", member: "GetAll",
      parameters: ["signature": "a{sv}", "arguments": [[:]], "interface": location], errors: ["Timeout"]),
    Fault(
      name: "locations are of the wrong type", action: "reply", member: "GetAll",
      parameters: ["signature": "s", "arguments": ["here"], "interface": location], errors: ["Timeout"]),
    Fault(
      name: "reading a location hangs", action: "hang", member: "GetAll", parameters: ["interface": location],
      errors: ["Timeout"]),
    Fault(name: "it measures nothing", action: "measure nothing", errors: ["Timeout"]),
  ]

  nonisolated private static let location: JSON = "org.freedesktop.GeoClue2.Location"

  @Test(arguments: faults) func `while GeoClue fails, every call is answered in time`(_ fault: Fault) throws {
    let machine = try SimulatedFixture()
    let (geoclue, service, client) = (machine.geoclue, machine.service, machine.client)
    if fault.action != "measure nothing" { try geoclue.fix(latitude: 52) }
    try fault.begin(geoclue)

    let path = try client.subscribeAndStart()
    // A call to GeoClue that hangs fails after 25 seconds. Calls that need no answer of GeoClue are answered before
    // that.
    let timeout = fault.errors.contains("Timeout") ? 700 : 15_000
    let answer = try client.location(["timeout": .variant("u", .integer(Int64(timeout)))], within: .seconds(20))
    let error = try #require(answer.errorName, "an error was expected: \(answer)")
    #expect(fault.errors.contains { error == "\(Service.name).Error.\($0)" }, "\(answer)")
    #expect(try client.requestAuthorization().errorName == nil)
    for property in ["State", "StateReason", "AvailableAccuracy", "InUse", "AuthorizationStatus", "Limits"] {
      _ = try client.property(property)
    }
    #expect(try client.subscriptions().count == 1)
    #expect(try client.property("State") != "running")
    try client.tell(path, "Stop")
    try client.tell(path, "Start")
    #expect(service.isRunning)

    try fault.end(geoclue)
    try machine.measure(52.25, until: path)
    try client.waitFor("State", "running")
    #expect(try client.location(["maximum-age": .variant("u", 600_000)]).errorName == nil)

    try client.tell(path, "Close")
    try client.waitFor("State", "idle")
    try eventually("no client is left in GeoClue") { try geoclue.clients().isEmpty }
    #expect(service.isRunning)
  }
}
