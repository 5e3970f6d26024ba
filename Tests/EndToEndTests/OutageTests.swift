// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// What clients are told while GeoClue restarts, fails or refuses, and in which words.
@Suite(.serialized) final class OutageTests: SimulatedMachine {
  private func signals(_ member: String, at path: String) -> [[JSON]] {
    client.client.received.filter { $0.path == path && $0.member == member }.map(\.arguments)
  }

  private func measure(_ latitude: Double, until path: String) throws {
    try eventually("a location at \(latitude)", within: .seconds(20), turn: rest) {
      try geoclue.fix(latitude: latitude, longitude: 13)
      return client.locations(from: path).last?["Latitude"]?.content.number == latitude
    }
  }

  @Test func `a restart of GeoClue changes the state and nothing else`() throws {
    try client.client.match("type='signal',path='\(Daemon.path)'")
    let path = try client.subscribeAndStart()
    try measure(50, until: path)
    try client.waitFor("State", "running")
    let before = signals("AuthorizationChanged", at: path)
    // From here on.
    let known = signals("PropertiesChanged", at: Daemon.path).count
    for latitude in [51.0, 52] {
      try geoclue.restart()
      try measure(latitude, until: path)
      try client.waitFor("State", "running")
    }
    let changed = signals("PropertiesChanged", at: Daemon.path).dropFirst(known)
    let names = Set(changed.flatMap { $0[1].keys })
    #expect(!names.isEmpty && names.isSubset(of: ["State", "StateReason", "AvailableAccuracy"]), "\(names)")
    #expect(signals("AuthorizationChanged", at: path) == before, "the authorization does not flicker")
    #expect(signals("ErrorOccurred", at: path).count <= 2, "at most one for each restart")
    #expect(daemon.isRunning)
  }

  @Test func `one outage is one ErrorOccurred, however many retries it takes`() throws {
    let path = try client.subscribeAndStart(["accuracy": .variant("s", "city")])
    try eventually("a location", within: .seconds(20), turn: rest) {
      try geoclue.fix(latitude: 50, longitude: 13)
      return !client.locations(from: path).isEmpty
    }
    #expect(signals("ErrorOccurred", at: path).isEmpty)
    try geoclue.refuse("CreateClient", with: "broken", name: "Failed")
    let calls = geoclue.calls.count { $0.member == "CreateClient" }
    // A finer level needs another client, which cannot be made.
    let exact = try client.subscribeAndStart()
    try eventually("it is tried again and again", within: .seconds(30)) {
      geoclue.calls.count { $0.member == "CreateClient" } >= calls + 3
    }
    #expect(signals("ErrorOccurred", at: path).count == 1)
    #expect(signals("ErrorOccurred", at: exact).count <= 1)
    try geoclue.release("CreateClient")
    try measure(51, until: exact)
    #expect(signals("ErrorOccurred", at: path).count == 1)
  }

  @Test func `the state's message is a sentence while something is wrong, and empty otherwise`() throws {
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

  @Test func `the authorization's message is the sentence of the error, and empty when all is well`() throws {
    let path = try client.subscribeAndStart()
    #expect(try client.property("AuthorizationMessage") == "")
    #expect(try client.property("AuthorizationMessage", of: path) == "")

    let session = try PrivateBus(.session)
    let agent = try DesktopAgent(at: bus.address)
    try agent.waitUntilRegistered()
    try geoclue.refuse("Start", with: "Geolocation disabled for UID 0")
    let own = try Daemon(.session, on: session, geoclueOn: bus)
    let other = try ConsumerProgram(on: session)
    let theirs = try other.subscribeAndStart()
    try other.waitFor("AuthorizationReason", "disabled-by-user", of: theirs)
    let answer = try other.location(["timeout": .variant("u", 500)])
    #expect(answer.errorName == "\(Daemon.name).Error.NotAuthorized")
    let message = try #require(answer.errorMessage)
    #expect(!message.isEmpty)
    #expect(try other.property("AuthorizationMessage", of: theirs) == .string(message))
    #expect(try other.property("AuthorizationMessage") == .string(message))
    #expect(own.isRunning)
  }
}
