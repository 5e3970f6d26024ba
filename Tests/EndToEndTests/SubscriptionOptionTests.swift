// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

@Suite(.serialized) final class SubscriptionOptionTests: SimulatedFixture {
  private func fix(_ latitude: Double) throws { try geoclue.fix(latitude: latitude) }

  private func set(_ property: String, of path: String, to value: JSON) throws -> String? {
    try client.connection.set(property, of: Service.subscription, at: path, to: value).errorName
  }

  @Test func `max-updates and duration end a subscription with the reason completed`() throws {
    let brief = try client.subscribeAndStart(["duration": .variant("u", 300)])
    let start = ContinuousClock.now
    try eventually("it is closed") { client.closed(brief) == "completed" }
    #expect(ContinuousClock.now - start >= .milliseconds(200))
    let path = try client.subscribeAndStart(["max-updates": .variant("u", 2)])
    try fix(50)
    _ = try client.locations(1, from: path)
    try fix(50.001)
    _ = try client.locations(2, from: path)
    try eventually("it is closed") { client.closed(path) == "completed" }
    #expect(try client.subscriptions().isEmpty)
    let answer = try client.connection.call("Start", of: Service.subscription, at: path)
    #expect(answer.errorName == "org.freedesktop.DBus.Error.UnknownObject")
    try client.waitFor("State", "idle")
  }

  @Test(arguments: [("debounce", "Debounce"), ("time-threshold", "TimeThreshold")])
  func `only the newest of the held locations is delivered when the threshold ends`(
    _ option: String, _ property: String
  ) throws {
    let path = try client.subscribeAndStart([option: .variant("u", 600_000)])
    try fix(50)
    _ = try client.locations(1, from: path)
    let all = try client.subscribeAndStart()
    try geoclue.startedClient()
    for step in 1...5 { try fix(50 + Double(step) / 1_000) }
    try eventually("all have arrived") { client.latitudes(from: all).last == 50.005 }
    #expect(try set(property, of: path, to: .variant("u", 800)) == nil)
    _ = try client.locations(2, from: path)
    #expect(client.latitudes(from: path) == [50, 50.005])
  }

  @Test func `thresholds can be changed while a subscription is running`() throws {
    let path = try client.subscribeAndStart(["distance-threshold": .variant("d", 1_000_000)])
    try fix(50)
    _ = try client.locations(1, from: path)
    try fix(50.004)
    let all = try client.subscribeAndStart()
    try eventually("another subscription has it") { client.latitudes(from: all).last == 50.004 }
    #expect(client.latitudes(from: path) == [50])
    #expect(try set("DistanceThreshold", of: path, to: .variant("d", 100)) == nil)
    try eventually("waiting messages are sent") { client.latitudes(from: path) == [50, 50.004] }
    #expect(try client.property("DistanceThreshold", of: path) == 100)
    try eventually("the change is reported to the owner") {
      client.connection.received.contains { $0.path == path && $0.member == "PropertiesChanged" }
    }
  }

  @Test func `a changed accuracy restarts the subscription at the new level`() throws {
    let path = try client.subscribeAndStart()
    try fix(50.123456)
    _ = try client.locations(1, from: path)
    #expect(try set("Accuracy", of: path, to: .variant("s", "street")) == nil)
    let reduced = try #require(try client.locations(2, from: path).last)
    #expect(reduced["Level"] == .variant("s", "street"))
    #expect(reduced["Reduced"] == .variant("b", false))
    #expect(reduced["Latitude"]?.content.number != 50.123456)
    #expect(try #require(reduced["Accuracy"]?.content.number) >= 500)
  }

  @Test func `GeoClue is released while no delivery is due, and the subscription remains active`() throws {
    let path = try client.subscribeAndStart(["time-threshold": .variant("u", 600_000)])
    try fix(50)
    _ = try client.locations(1, from: path)
    try client.waitFor("StateReason", "resting")
    try client.waitFor("State", "idle")
    try client.waitFor("InUse", true)
    try eventually("GeoClue's client is deleted") { try geoclue.clients().isEmpty }
    #expect(try client.property("Active", of: path) == true)
    // A client without thresholds ends the rest.
    let all = try client.subscribeAndStart()
    try geoclue.startedClient()
    try fix(50.001)
    try eventually("all get it") { client.latitudes(from: all).last == 50.001 }
    try client.waitFor("StateReason", "")
    #expect(client.latitudes(from: path) == [50])
  }

  @Test func `while the bus is stalled, the service keeps only the newest location`() throws {
    let clients = try PrivateBus(.session, broker: .dbusDaemon)
    let service = try Service(.system, on: clients, geoclueOn: bus)
    let many = try (0..<8).map { _ in try ServiceClient(on: clients) }
    let paths = try many.map { client in try (0..<16).map { _ in try client.subscribeAndStart() } }
    try fix(50)
    for (client, paths) in zip(many, paths) { for path in paths { _ = try client.locations(1, from: path) } }
    let before = try service.residentKilobytes()

    clients.suspend(true)
    for step in 1...100 { try fix(50 + Double(step) / 1000) }
    try eventually("the newest location is requested from GeoClue", within: .seconds(30)) {
      geoclue.calls.contains { $0.member == "GetAll" && $0.path.hasSuffix("/Location/101") }
    }
    let grown = try service.residentKilobytes() - before
    if Service.isMemoryItsOwn { #expect(grown < 2_048, "it grew by \(grown) kB") }
    clients.suspend(false)
    for (client, paths) in zip(many, paths) {
      for path in paths {
        try eventually("\(path) has the newest", within: .seconds(30), seen: service.log.suffix(2_000).description) {
          client.lastLatitude(from: path) == 50.1
        }
      }
    }
  }
}
