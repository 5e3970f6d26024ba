// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

@Suite(.serialized) struct GeoClueFaultTests {
  @Test(arguments: [
    ("Geolocation disabled for UID 0", "denied", "disabled-by-user"),
    ("'org.geopublicist.Location1' disallowed by configuration for UID 0", "restricted", "disallowed-by-configuration"),
    ("'org.geopublicist.Location1' disallowed, no agent for UID 0", "not-determined", "no-agent"),
    (
      "Agent rejected 'org.geopublicist.Location1' for user '0'. Please ensure that "
        + "'org.geopublicist.Location1' has installed a valid org.geopublicist.Location1.desktop file.",
      "denied", "rejected-by-agent"
    ),
    ("Something that no release says", "restricted", "disallowed-by-policy"),
  ])
  func `each refusal by GeoClue is reported with a status and a reason`(
    _ text: String, _ status: String, _ reason: String
  ) throws {
    let systemBus = try PrivateBus(.system)
    let bus = try PrivateBus(.session)
    let geoclue = try FakeGeoClue(on: systemBus)
    let agent = try DesktopAgent(at: systemBus.address)
    defer { agent.kill() }
    try geoclue.refuse("Start", with: text)
    let service = try Service(.session, on: bus, geoclueOn: systemBus)
    let client = try ServiceClient(on: bus)
    let path = try client.subscribe()
    // The call may have been refused already, because the status is decided when GeoClue has answered.
    _ = try client.connection.call("Start", of: Service.subscription, at: path)
    try client.waitFor("AuthorizationReason", .string(reason), of: path)
    #expect(try client.property("AuthorizationStatus", of: path) == .string(status))
    try client.waitForAuthorization("\(status) \(reason)", of: path)
    let answer = try client.location(["timeout": .variant("u", 300)])
    #expect(answer.errorName == "\(Service.name).Error.NotAuthorized")
    #expect(service.isRunning)
  }

  /// Regression: the caller was answered only at its timeout.
  @Test func `a refusal by GeoClue's configuration is answered before the timeout`() throws {
    let machine = try SimulatedFixture()
    try machine.geoclue.refuse("Start", with: "'org.geopublicist.Location1' disallowed by configuration for UID 0")
    let answer = try machine.client.location(["timeout": .variant("u", 120_000)])
    #expect(answer.errorName == "\(Service.name).Error.Unavailable")
  }

  @Test(arguments: ["CreateClient", "Start", "Set", "AddAgent"])
  func `a GeoClue call that hangs does not delay clients`(_ member: String) throws {
    let machine = try SimulatedFixture { try $0.fault(on: member, "hang") }
    let (geoclue, client) = (machine.geoclue, machine.client)
    let path = try client.subscribeAndStart()
    // The hanging call fails after 25 seconds.
    #expect(try client.location(["timeout": .variant("u", 500)], within: .seconds(20)).errorName != nil)
    #expect(try client.requestAuthorization().errorName == nil)
    #expect(try client.property("State") != "running")
    try geoclue.release(member)
    let upstream = try geoclue.startedClient(within: .seconds(40))
    #expect(upstream["DesktopId"]?.string == Service.name)
    #expect(upstream["DistanceThreshold"] == 0, "any other value makes GeoClue notify all clients")
    #expect(upstream["TimeThreshold"] == 0)
    try geoclue.fix(latitude: 52.5)
    _ = try client.locations(1, from: path)
    try eventually("no orphans are left") { try geoclue.clients().count == 1 }
    #expect(machine.service.isRunning)
  }

  @Test func `a sudden jump is delivered only after a second fix has confirmed it`() throws {
    let machine = try SimulatedFixture()
    let (client, geoclue) = (machine.client, machine.geoclue)
    let paths = try ["continuous", "significant"].map {
      try client.subscribeAndStart(["mode": .variant("s", .string($0))])
    }
    func measure(_ latitude: Double, longitude: Double = 13, accuracy: Double = 1) throws {
      try geoclue.fix(latitude: latitude, longitude: longitude, ["Accuracy": .variant("d", .number(accuracy))])
    }
    try geoclue.startedClient()
    try measure(50)
    for path in paths { _ = try client.locations(1, from: path) }
    try measure(5)
    try measure(0, longitude: 0)
    // A receiver without a fix.
    try measure(0, longitude: 0, accuracy: 300)
    #expect(try client.location().arguments()[0]["Latitude"]?.number == 50)
    try measure(50.001)
    try eventually("it is contradicted") { client.latitudes(from: paths[0]).last == 50.001 }
    try measure(5)
    try measure(5.001)
    try eventually("it is confirmed") { client.latitudes(from: paths[0]) == [50, 50.001, 5.001] }
    #expect(try client.location().arguments()[0]["Latitude"]?.number == 5.001)
    #expect(client.latitudes(from: paths[1]) == [50], "at most one in five minutes")
  }

  @Test(
    arguments: [
      [
        "Accuracy": .variant("d", 5), "Speed": .variant("d", 1.5), "Heading": .variant("d", 90),
        "Altitude": .variant("d", -3), "Description": .variant("s", "GPS GGA"),
      ],
      ["Accuracy": .variant("d", -1), "Altitude": .variant("d", -1.7976931348623157e308), "Speed": .variant("d", -1)],
      ["Accuracy": .variant("d", "nan"), "Altitude": .variant("d", "inf"), "Heading": .variant("d", "nan")],
      [
        "Accuracy": .variant("s", "5"), "Altitude": .variant("u", 5), "Speed": .variant("s", ""),
        "Heading": .variant("b", true),
      ],
    ] as [[String: JSON]])
  func `a location contains known values and omits unknown ones`(_ values: [String: JSON]) throws {
    let machine = try SimulatedFixture()
    let path = try machine.client.subscribeAndStart()
    try machine.geoclue.startedClient()
    try machine.geoclue.fix(latitude: 51, values)
    let location = try machine.client.locations(1, from: path)[0]
    #expect(location["Latitude"] == .variant("d", 51))
    let isKnown = values["Description"] != nil
    for name in ["Accuracy", "Altitude", "Speed", "Heading", "Description"] {
      #expect(location[name] == (isKnown ? values[name] : nil), "\(name) in \(location.line)")
    }
  }

  @Test func `a fix that arrives before the reply to Start is delivered`() throws {
    let machine = try SimulatedFixture()
    try machine.geoclue.fix(latitude: 50)
    let path = try machine.client.subscribeAndStart()
    #expect(try machine.client.locations(1, from: path)[0]["Latitude"] == .variant("d", 50))
  }

  @Test func `signals from GeoClue with malformed arguments are ignored`() throws {
    let machine = try SimulatedFixture()
    let path = try machine.client.subscribeAndStart()
    try machine.expectAFix(at: path, latitude: 50)
    let upstream = try #require(try machine.geoclue.clients().first)
    let client = try #require(upstream["path"])
    let service = try #require(upstream["sender"])
    for (interface, member, signature, arguments) in [
      ("\(geoClueName).Client", "LocationUpdated", "", []),
      ("\(geoClueName).Client", "LocationUpdated", "ss", ["/", "/"]),
      ("\(geoClueName).Client", "LocationUpdated", "oo", ["/", "/"]),
      ("\(geoClueName).Client", "LocationUpdated", "oo", ["/", "/org/example/None"]),
      (busProperties, "PropertiesChanged", "s", ["x"]),
      (
        busProperties, "PropertiesChanged", "sa{sv}as",
        [.string("\(geoClueName).Client"), ["Active": .variant("s", "no")], []]
      ),
    ] as [(String, String, String, JSON)] {
      try machine.geoclue.tell([
        "emit": [
          "destination": service, "path": client, "interface": .string(interface), "member": .string(member),
          "signature": .string(signature), "arguments": arguments,
        ]
      ])
    }
    try machine.expectAFix(at: path, latitude: 50.002)
    #expect(machine.client.latitudes(from: path) == [50, 50.002])
    #expect(machine.geoclue.calls.allSatisfy { $0.path != "/" }, "no location has this path")
  }

  @Test(arguments: ["AddAgent", "CreateClient", "Start", "Set", "GetAll", "DeleteClient"])
  func `a GeoClue that exits during a call is started and called again`(_ member: String) throws {
    let machine = try SimulatedFixture()
    try machine.geoclue.fault(on: member, "exit")
    var path = try machine.client.subscribeAndStart()
    if member == "GetAll" {
      try eventually("a client is started, or GeoClue has exited already") {
        machine.geoclue.exited != nil || (try? machine.geoclue.clients().contains { $0["active"] == true }) == true
      }
      if machine.geoclue.exited == nil { try machine.geoclue.fix(latitude: 50) }
    } else if member == "DeleteClient" {
      try machine.expectAFix(at: path, latitude: 50.001)
      try machine.client.tell(path, "Close")
    }
    try eventually("GeoClue exits") { machine.geoclue.exited != nil }
    try machine.geoclue.restart()
    if member == "DeleteClient" { path = try machine.client.subscribeAndStart() }
    try machine.expectAFix(at: path, latitude: 50.002)
    #expect(machine.service.isRunning)
  }

  @Test func `a change of GeoClue's available accuracy is reported to clients`() throws {
    let machine = try SimulatedFixture()
    let path = try machine.client.subscribeAndStart()
    try machine.expectAFix(at: path, latitude: 50)
    for (level, name) in [(4, "city"), (0, "none"), (6, "street"), (99, "exact"), (8, "exact")] as [(Int64, JSON)] {
      try machine.geoclue.tell(["available": .integer(level)])
      try machine.client.waitFor("AvailableAccuracy", name)
    }
    try machine.geoclue.tell(["available": 0])
    try machine.client.waitFor("State", "unavailable")
    try machine.client.waitFor("StateReason", "no-source")
    try machine.geoclue.tell(["available": 8])
    try machine.expectAFix(at: path, latitude: 50.002)
    try machine.client.waitFor("State", "running")
  }

  @Test func `a GeoClue that exits when idle is not started before it is needed`() throws {
    let machine = try SimulatedFixture(idleSeconds: 1)
    let path = try machine.client.subscribeAndStart()
    try machine.expectAFix(at: path, latitude: 50)
    try machine.client.tell(path, "Stop")
    try eventually("GeoClue has exited") { machine.geoclue.exited == .status(0) }
    try machine.client.waitFor("AvailableAccuracy", "unknown")
    try machine.client.waitFor("State", "idle")
    try machine.client.tell(path, "Start")
    try machine.geoclue.restart()
    try machine.expectAFix(at: path, latitude: 50.002)
  }
}
