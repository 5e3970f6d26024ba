// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// Almanacs through the interface of the service, with a simulated GeoClue.
@Suite(.serialized) final class AlmanacTests: SimulatedFixture {
  private static let invalidOption = "\(Service.name).Error.InvalidOption"

  private func get(_ options: JSON = [:]) throws -> BusClient.Answer {
    try client.call("GetAlmanac", signature: "a{sv}", [options], within: .seconds(25))
  }

  @Test func `an almanac contains the phases of the day, the zone and the town, but no coordinate`() throws {
    try geoclue.fix(latitude: 52.52, longitude: 13.4)
    let path = try client.almanacStarted()
    let almanac = try client.almanacs(1, from: path)[0]
    #expect(almanac["TimeZone"]?.content == "Europe/Berlin")
    #expect(almanac["Country"]?.content == "DE")
    #expect(almanac["Place"]?.content.string?.isEmpty == false)
    #expect(almanac["Approximate"] == .variant("b", false))
    let forecast = try #require(almanac["Forecast"]?.content.array)
    #expect(almanac["Forecast"]?.variantType == "a(s(tt))")
    #expect(forecast.first?[0] == almanac["Phase"]?.content)
    #expect(forecast.dropFirst().first?[0] == almanac["NextPhase"]?.content)
    #expect(forecast.dropFirst().first?[1] == almanac["NextTime"]?.content)
    let now = Int64(Date().timeIntervalSince1970)
    let starts = forecast.compactMap { $0[1]?[0]?.integer }
    #expect(starts.count == forecast.count && starts == starts.sorted() && starts.allSatisfy { $0 % 60 == 0 })
    #expect((starts.first ?? .max) <= now && (starts.last ?? 0) > now + 6 * 86_400)
    #expect((almanac["Timestamp"]?.content[0]?.integer ?? 0) > 0)

    let member = client.connection.received.filter { $0.path == path }.map(\.member)
    #expect(member.firstIndex(of: "AuthorizationChanged") ?? .max < member.firstIndex(of: "AlmanacChanged") ?? 0)
    let texts = client.connection.received.filter { $0.path == path }.map(\.text).joined()
    for secret in ["atitude", "52.", "13.4"] { #expect(!texts.contains(secret)) }
    // The day may change in between.
    try eventually("the signal, the property and the answer are the same", turn: rest) {
      let sent = client.almanacs(from: path)
      let listed = try #require(client.subscriptions().first { $0["Path"]?.content.string == path })
      #expect(listed["Kind"]?.content == "almanac" && listed["Level"]?.content == "city")
      return try client.property("Almanac", of: path) == sent.last && get().arguments()[0] == sent.last
        && listed["Delivered"]?.content.integer == Int64(sent.count)
    }
  }

  @Test func `once an almanac is known, GeoClue is released and InUse is false`() throws {
    try geoclue.fix(latitude: 52.52, longitude: 13.4)
    let path = try client.almanacStarted()
    _ = try client.almanacs(1, from: path)
    try client.waitFor("StateReason", "resting")
    try client.waitFor("InUse", false)
    try eventually("GeoClue's client is deleted") { try geoclue.clients().isEmpty }
    #expect(try client.property("Active", of: path) == true)
    let started = try #require(client.connection.received.first { $0.member == "AlmanacChanged" })
    #expect(started.path == path)
  }

  @Test func `options move the boundaries of phases, and invalid options are refused`() throws {
    try geoclue.fix(latitude: 48, longitude: 11)
    let plain = try get(["twilight": .variant("s", "sunset")]).arguments()[0]
    let late = try get(["twilight": .variant("s", "sunset"), "night-offset": .variant("i", 1800)]).arguments()[0]
    func nights(_ almanac: JSON) -> [Int64] {
      (almanac["Forecast"]?.content.array ?? []).dropFirst().filter { $0[0] == "night" }.compactMap {
        $0[1]?[0]?.integer
      }
    }
    let (early, later) = (Set(nights(plain).map { $0 + 1800 }), Set(nights(late)))
    #expect(early.intersection(later).count >= 6, "\(early) \(later)")
    #expect(nights(try get().arguments()[0]) != nights(plain))
    for options in [
      ["twilight": .variant("s", "noon")], ["day-offset": .variant("i", 21_601)],
      ["night-offset": .variant("i", -21_601)],
      ["day-offset": .variant("d", 0.5)], ["accuracy": .variant("s", "exact")],
      ["day-offset": .variant("x", .integer(.min))],
    ] as [JSON] {
      #expect(try get(options).errorName == Self.invalidOption)
      #expect(try client.createAlmanac(options).errorName == Self.invalidOption)
    }
    #expect(try client.createAlmanac(["timeout": .variant("u", 1)]).errorName == Self.invalidOption)
    #expect(try client.subscriptions().isEmpty)
  }

  @Test func `an almanac from a coarse location or one without an accuracy is marked as approximate`() throws {
    for accuracy in [-1.0, 20_000] {
      try geoclue.fix(latitude: 52.52, longitude: 13.4, ["Accuracy": .number(accuracy)])
    }
    let path = try client.almanacStarted()
    #expect(try client.almanacs(1, from: path)[0]["Approximate"] == .variant("b", true))
  }
}

/// Almanacs on a machine that sleeps and moves.
@Suite(.serialized) final class AlmanacTravelTests: SimulatedFixture {
  private let logind: BusClient

  init() throws {
    let (logind, bus) = try BusClient.owning("org.freedesktop.login1")
    self.logind = logind
    try super.init(on: bus)
  }

  @Test func `a suspend neither removes the almanac nor sends it again`() throws {
    try geoclue.fix(latitude: 52.52, longitude: 13.4)
    let path = try client.almanacStarted()
    let almanac = try client.almanacs(1, from: path)[0]
    try client.waitFor("StateReason", "resting")
    try logind.prepareForSleep(true)
    try logind.prepareForSleep(false)
    try always("it remains", for: .milliseconds(500), turn: rest) {
      try client.property("Almanac", of: path) == almanac
    }
    #expect(client.almanacs(from: path).count == 1)
  }

  @Test func `an almanac that is stopped and started again is sent again`() throws {
    try geoclue.fix(latitude: 52.52, longitude: 13.4)
    let path = try client.almanacStarted()
    _ = try client.almanacs(1, from: path)
    let told = client.authorizations(of: path).count
    try client.tell(path, "Stop")
    #expect(try client.property("Almanac", of: path) == [:])
    try client.tell(path, "Start")
    _ = try client.almanacs(2, from: path)
    #expect(client.authorizations(of: path).count == told + 1)
    try client.tell(path, "Close")
    try eventually("it is closed") { client.closed(path) == "by-consumer" }
  }
}

@Suite(.serialized) struct AlmanacWithGeoClueTests {
  @Test func `all places in one cell have the same almanac`() throws {
    let bus = try PrivateBus(.session)
    let almanacs = try [(52.41, 13.18), (52.52, 13.37), (52.6, 13.37)].map { latitude, longitude in
      let service = try Service(.session, on: bus, options: ["--at", "\(latitude),\(longitude)"])
      defer { service.kill() }
      let almanac = try ServiceClient(on: bus).call("GetAlmanac", signature: "a{sv}", [[:]]).arguments()[0]
      return ["Phase", "Forecast", "Sunrise", "Sunset", "TimeZone", "Place", "Country"].map { almanac[$0]?.content }
    }
    #expect(almanacs[0][4] == "Europe/Berlin" && almanacs[0] == almanacs[1] && almanacs[1] != almanacs[2])
  }

  @Test func `an almanac from the packaged GeoClue is cleared when access is lost`() throws {
    let machine = try ServiceFixture(.session, agentLevel: 8)
    let client = try machine.client()
    let path = try client.almanacStarted()
    var last = JSON.null
    try eventually("an almanac", within: .seconds(20), turn: rest, seen: last.line) {
      machine.receiver.offer(.berlin)
      last = try client.property("Almanac", of: path)
      return last["TimeZone"]?.content == "Europe/Berlin"
    }
    #expect(client.almanacs(from: path).count == 1)
    try machine.agent?.setLevel(0)
    try client.waitFor("Almanac", [:], of: path)
    try eventually("the refusal is announced", turn: rest) {
      client.authorizations(of: path).last == "denied disabled-by-user"
    }
    #expect(client.almanacs(from: path).count == 1)
  }
}
