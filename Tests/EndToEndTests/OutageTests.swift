// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// Signals and messages to clients while GeoClue restarts, fails or refuses.
@Suite(.serialized) final class OutageTests: SimulatedFixture {
  @Test func `a restart of GeoClue changes only the service's state`() throws {
    try client.connection.match("type='signal',path='\(Service.path)'")
    let path = try client.subscribeAndStart()
    try measure(50, until: path)
    try client.waitFor("State", "running")
    let before = client.connection.received("AuthorizationChanged", from: path)
    // Changes before the outages do not count.
    let known = client.connection.received("PropertiesChanged", from: Service.path).count
    for latitude in [51.0, 52, 53] {
      geoclue.kill()
      try client.waitFor("State", "unavailable")
      try eventually("the reason is reported", turn: rest) {
        ["geoclue-restarting", "geoclue-not-installed"].contains(try client.property("StateReason").string)
      }
      try client.waitFor("AvailableAccuracy", "unknown")
      try geoclue.restart()
      try measure(latitude, until: path)
      try client.waitFor("State", "running")
    }
    let changed = client.connection.received("PropertiesChanged", from: Service.path).dropFirst(known)
    let names = Set(changed.flatMap { $0[1].keys })
    #expect(!names.isEmpty && names.isSubset(of: ["State", "StateReason", "AvailableAccuracy"]), "\(names)")
    #expect(
      client.connection.received("AuthorizationChanged", from: path) == before, "the authorization does not flicker")
    #expect(client.connection.received("ErrorOccurred", from: path).count <= 3, "at most one for each restart")
    #expect(service.isRunning)
  }

  @Test func `each outage causes one ErrorOccurred, however often the service retries`() throws {
    let path = try client.subscribeAndStart(["accuracy": .variant("s", "city")])
    try geoclue.startedClient()
    try geoclue.fix(latitude: 50)
    _ = try client.locations(1, from: path)
    #expect(client.connection.received("ErrorOccurred", from: path).isEmpty)
    try geoclue.refuse("CreateClient", with: "broken", name: "Failed")
    let calls = clientsMade
    // A finer level needs another client, which cannot be created.
    let exact = try client.subscribeAndStart()
    try eventually("the service retries", within: .seconds(30)) { clientsMade >= calls + 3 }
    _ = try client.connection.waitFor(1, "ErrorOccurred")
    // A reply arrives after all messages that were sent before it.
    _ = try client.property("Version")
    #expect(client.connection.received("ErrorOccurred", from: path).count == 1)
    #expect(client.connection.received("ErrorOccurred", from: exact).count <= 1)
    try geoclue.release("CreateClient")
    try measure(51, until: exact)
    #expect(client.connection.received("ErrorOccurred", from: path).count == 1)
  }

  @Test func `each subscription is informed of an outage exactly once`() throws {
    func told(_ path: String) -> Int { client.connection.received("ErrorOccurred", from: path).count }
    geoclue.kill()
    var paths: [String] = []
    for mode in ["continuous", "significant", "continuous"] {
      paths.append(try client.subscribeAndStart(["mode": .variant("s", .string(mode))]))
      try eventually("it is reported", turn: rest) { told(paths[paths.count - 1]) == 1 }
    }
    try client.tell(paths[0], "Stop")
    try client.tell(paths[0], "Start")
    try geoclue.restart()
    try measure(50, until: paths[0])
    #expect(paths.map(told) == [1, 1, 1])
    geoclue.kill()
    try eventually("clients that wait for a location are informed again", turn: rest) { told(paths[2]) == 2 }
    #expect(paths.allSatisfy { told($0) <= 2 })
  }

  @Test func `outages are logged at level notice, details at level debug, and no line contains coordinates`() throws {
    let path = try client.subscribeAndStart()
    try measure(50.1234, until: path)
    geoclue.kill()
    try eventually("the outage is logged", within: .seconds(20)) { service.log.contains("No locations are arriving") }
    try geoclue.restart()
    try measure(51.1234, until: path)
    try eventually("its end is logged") { service.log.contains("Locations are arriving again") }
    let lines = service.log.split(separator: "\n")
    func isAt(_ level: String, _ text: String) -> Bool {
      lines.contains { $0.contains("-\(level):") && $0.contains(text) }
    }
    #expect(isAt("Message", "No locations are arriving: ") && isAt("Message", "Locations are arriving again"))
    let told = [
      "Decision for :", "granted exact", "The source is requested at level exact", "A location arrived, source",
    ]
    for text in told + ["Source: running", "Source: unavailable"] { #expect(isAt("DEBUG", text), "\(text)") }
    #expect(!lines.contains { $0.contains("50.1234") || $0.contains("51.1234") })
  }

  @Test func `StateMessage is a sentence during an outage, and empty otherwise`() throws {
    #expect(try client.property("StateMessage") == "")
    let path = try client.subscribeAndStart()
    try measure(50, until: path)
    try client.waitFor("StateMessage", "")
    geoclue.kill()
    try client.waitFor("State", "unavailable")
    let message = try #require(try client.property("StateMessage").string)
    #expect(message.contains("GeoClue") && message.count > 20, "\(message)")
    try geoclue.restart()
    try measure(51, until: path)
    try client.waitFor("StateMessage", "")
  }

  @Test func `AuthorizationMessage equals the message of the error, and is empty while access is granted`() throws {
    let path = try client.subscribeAndStart()
    #expect(try client.property("AuthorizationMessage") == "")
    #expect(try client.property("AuthorizationMessage", of: path) == "")

    let session = try PrivateBus(.session)
    let agent = try DesktopAgent(at: bus.address)
    defer { agent.kill() }
    try geoclue.refuse("Start", with: "Geolocation disabled for UID 0")
    let own = try Service(.session, on: session, geoclueOn: bus)
    let other = try ServiceClient(on: session)
    let theirs = try other.subscribeAndStart()
    try other.waitFor("AuthorizationReason", "disabled-by-user", of: theirs)
    let answer = try other.location(["timeout": .variant("u", 500)])
    #expect(answer.errorName == "\(Service.name).Error.NotAuthorized")
    let message = try #require(answer.errorMessage)
    #expect(!message.isEmpty)
    #expect(try other.property("AuthorizationMessage", of: theirs) == .string(message))
    #expect(try other.property("AuthorizationMessage") == .string(message))
    #expect(own.isRunning)
  }
}

/// Behaviour that is new in GeoClue 2.8, with a simulated one.
@Suite(.serialized) final class NewerGeoClueTests: SimulatedFixture {
  @Test func `a location derived from the IP address is not sent to a client that requires accuracy`() throws {
    let all = try client.subscribeAndStart()
    let accurate = try client.subscribeAndStart(["required-accuracy": .variant("d", 1_000)])
    let region = try client.regionStarted(ServiceClient.circle(52, 13))
    // GeoClue's source [ip] reports a provider's head office before a Wi-Fi scan has ended.
    try geoclue.fix(latitude: 52, ["Accuracy": .variant("d", 25_000), "Description": .variant("s", "GeoIP (ichnaea)")])
    _ = try client.locations(1, from: all)
    try geoclue.fix(
      latitude: 53.5, longitude: 10, ["Accuracy": .variant("d", 40), "Description": .variant("s", "WiFi")])
    let both = try client.locations(2, from: all)
    #expect(both.map { $0["Source"]?.content } == ["ip", "wifi"])
    let found = try client.locations(1, from: accurate)
    #expect(found.map { $0["Source"]?.content } == ["wifi"])
    try client.waitFor(["determined"], region)
    #expect(client.events(of: region)[0]["State"]?.content == "outside", "the address is no evidence")
    #expect(service.isRunning)
  }
}
