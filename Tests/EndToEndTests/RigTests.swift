// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// The rig itself, on which the other tests depend, without the service.
@Suite(.serialized) struct RigTests {
  private func properties(of path: String, _ interface: String, as client: BusClient) throws -> JSON {
    try client.reply(
      "GetAll", of: busProperties, at: path, of: geoClueName, signature: "s", ["\(geoClueName).\(interface)"])[0]
  }

  @Test func `the real GeoClue turns an NMEA sentence into a location`() throws {
    let bus = try PrivateBus(.system)
    let geoclue = try RealGeoClue(on: bus)
    let agent = try DesktopAgent(at: bus.address)
    defer { agent.kill() }
    #expect(!geoclue.receiver.isConnected)
    let client = try BusClient(at: bus.address)
    let path = try client.startGeoClueClient().path
    #expect(try geoclue.clients() == [path.components(separatedBy: "/").last])
    try geoclue.receiver.write(GGASentence(latitude: 52.123456789, longitude: -13.000000123))
    let updated = try client.waitFor(1, "LocationUpdated")
    let location = try properties(of: #require(updated[0][1].string), "Location", as: client)
    #expect(abs(try #require(location["Latitude"]?.number) - 52.123456789) < 1e-8)
    #expect(abs(try #require(location["Longitude"]?.number) + 13.000000123) < 1e-8)
    #expect(location["Latitude"]?.variantType == "d")
    client.kill()
    try eventually("the client has left") { try geoclue.clients().isEmpty }
  }

  @Test func `packages.sh waits until another program has released apt's lock`() throws {
    let folder = TemporaryDirectory()
    let apt = "mkdir '\(folder.file("tried"))' || exit 0; echo 'E: Could not get lock /var/lib/dpkg/lock'; exit 100"
    for (name, text) in [("dpkg-query", "exit 1"), ("sudo", "exec \"$@\""), ("apt-get", apt)] {
      try "#!/bin/sh\n\(text)\n".write(toFile: folder.file(name), atomically: true, encoding: .utf8)
      chmod(folder.file(name), 0o755)
    }
    let path = "\(folder.path):/usr/bin:/bin"
    let installation = try run([Rig.sourceFile("Tools/packages.sh"), "demo"], environment: ["PATH": path])
    #expect(installation.succeeded && installation.standardOutput.contains("Waiting for another program"))
  }

  @Test func `the simulated desktop agent switches location off and on`() throws {
    let bus = try PrivateBus(.system)
    let geoclue = try RealGeoClue(on: bus)
    let agent = try DesktopAgent(at: bus.address)
    let client = try BusClient(at: bus.address)
    let path = try client.startGeoClueClient().path
    for (level, active) in [(0, false), (8, true)] {
      try agent.setLevel(level)
      try eventually("Active is \(active)") { try properties(of: path, "Client", as: client)["Active"]?.bool == active }
    }
    try geoclue.restart()
    try agent.waitUntilRegistered(times: 2)
  }

  @Test func `without faults, the simulated GeoClue behaves like the real one`() throws {
    let bus = try PrivateBus(.system)
    let geoclue = try FakeGeoClue(on: bus)
    let early = try BusClient(at: bus.address)
    func begin() throws -> Int64 {
      try early.begin(
        "CreateClient", of: "\(geoClueName).Manager", at: "/org/freedesktop/GeoClue2/Manager", of: geoClueName)
    }
    let call = try begin()
    try eventually("it waits for an agent") { try geoclue.state()["waiting"]?.integer == 1 }
    #expect(early.answerSoFar(to: call) == nil)
    let agent = try DesktopAgent(at: bus.address)
    #expect(try early.answer(to: call) == .reply(["/org/freedesktop/GeoClue2/Client/1"]))

    let client = try BusClient(at: bus.address)
    let path = try client.startGeoClueClient().path
    try geoclue.fix(latitude: 1.5, longitude: 2.5)
    let updated = try client.waitFor(1, "LocationUpdated")
    #expect(updated[0][0] == "/")
    let place = try #require(updated[0][1].string)
    #expect(try properties(of: place, "Location", as: client)["Latitude"] == .variant("d", 1.5))
    #expect(try properties(of: place, "Location", as: early) == [:])
    #expect(
      try early.call("Start", of: "\(geoClueName).Client", at: path, of: geoClueName)
        == .error(name: "org.freedesktop.DBus.Error.AccessDenied", message: "Access denied"))

    try agent.setLevel(0)
    try eventually("the client is stopped") { try properties(of: path, "Client", as: client)["Active"]?.bool == false }
    client.kill()
    try eventually("the client has left") { try geoclue.clients().count == 1 }

    try geoclue.refuse("CreateClient", with: "no", name: "Failed")
    #expect(try early.askGeoClue("CreateClient") == .error(name: "org.freedesktop.DBus.Error.Failed", message: "no"))
    try geoclue.fault(on: "CreateClient", "reply", ["signature": "d", "arguments": ["nan"]])
    #expect(try early.askGeoClue("CreateClient") == .reply(["nan"]))
    try geoclue.fault(on: "CreateClient", "hang")
    let hanging = try begin()
    try eventually("it hangs") { geoclue.count(of: "CreateClient") == 5 }
    try geoclue.release("CreateClient")
    #expect(try early.answer(to: hanging) == .reply(["/org/freedesktop/GeoClue2/Client/3"]))
    try geoclue.fault(on: "GetClient", "exit")
    #expect(try early.askGeoClue("GetClient").errorName == "org.freedesktop.DBus.Error.NoReply")
  }
}
