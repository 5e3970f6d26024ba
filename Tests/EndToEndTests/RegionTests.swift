// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// Regions through the interface of the service, with a simulated GeoClue.
@Suite(.serialized) final class RegionTests: SimulatedFixture {
  private static let invalidOption = "\(Service.name).Error.InvalidOption"

  /// Keeps the source on, so that a region sees every fix.
  private func follow() throws { _ = try client.subscribeAndStart() }

  private func measure(_ latitude: Double, _ more: [String: JSON] = [:]) throws {
    try geoclue.fix(latitude: latitude, more)
  }

  @Test func `a region reports its events without coordinates and shows the last one in its properties`() throws {
    try follow()
    let path = try client.regionStarted(ServiceClient.circle(52, 13))
    #expect(try client.property("State", of: path) == "unknown")
    #expect(try client.property("Radius", of: path) == 1_000)
    try measure(53)
    try client.waitFor(["determined"], path)
    try measure(52)
    try client.waitFor(["determined", "entered"], path)
    try client.waitFor("State", "inside", of: path)
    #expect(try client.property("LastEvent", of: path)["Event"]?.content == "entered")
    try measure(53)
    try client.waitFor(["determined", "entered", "exited"], path)

    let events = client.events(of: path)
    #expect(events.map { $0["Sequence"]?.content } == [1, 2, 3])
    #expect(events.map { $0["Previous"]?.content } == ["unknown", "outside", "inside"])
    #expect(events.allSatisfy { $0["Gap"] == .variant("b", false) && $0["Simulated"] == .variant("b", false) })
    #expect(events.allSatisfy { $0["Location"] == nil })
    let texts = client.connection.received.filter { $0.path == path }.map(\.text).joined()
    #expect(!texts.contains("atitude"))
    let listed = try #require(client.subscriptions().first { $0["Path"]?.content.string == path })
    #expect(listed["Kind"]?.content == "region")
    #expect(listed["Delivered"]?.content == 3)
    #expect(!listed.line.contains("atitude") && !listed.line.contains("Radius"))
    try eventually("property changes are reported") {
      client.connection.received.contains { $0.path == path && $0.member == "PropertiesChanged" }
    }
  }

  @Test func `a region supports dwell, single use, a duration and the location of each event`() throws {
    try follow()
    let path = try client.regionStarted(
      ServiceClient.circle(
        52, 13,
        ["dwell": .variant("u", 600), "single-use": .variant("b", true), "include-location": .variant("b", true)]))
    let brief = try client.regionStarted(ServiceClient.circle(10, 10, ["duration": .variant("u", 300)]))
    try measure(52)
    try client.waitFor(["determined", "dwelled"], path)
    #expect(client.events(of: path)[0]["Location"]?.content["Latitude"]?.content == 52)
    try measure(53)
    try client.waitFor(["determined", "dwelled", "exited"], path)
    try eventually("both are closed") { client.closed(path) == "used" && client.closed(brief) == "expired" }
    #expect(try client.subscriptions().count == 1)
    let answer = try client.connection.call("Start", of: Service.region, at: path)
    #expect(answer.errorName == "org.freedesktop.DBus.Error.UnknownObject")
  }

  nonisolated private static let invalid: [(String, [String: JSON])] = [
    ("no latitude", ["latitude": .null]), ("a radius below 50 m", ["radius": .variant("d", 49.999)]),
    ("a radius above 1,000 km", ["radius": .variant("d", 1_000_001)]),
    ("a negative radius", ["radius": .variant("d", -200)]),
    ("a radius that is NaN", ["radius": .variant("d", "nan")]),
    ("a latitude that is NaN", ["latitude": .variant("d", "nan")]),
    ("an infinite longitude", ["longitude": .variant("d", "inf")]),
    ("a latitude beyond a pole", ["latitude": .variant("d", 90.000001)]),
    ("a longitude beyond the antimeridian", ["longitude": .variant("d", -180.000001)]),
    ("text instead of a number", ["latitude": .variant("s", "52")]),
    ("an unknown state", ["assumed": .variant("s", "near")]),
    ("a negative time", ["confirm": .variant("i", -1)]),
    ("a time that is too long", ["dwell": .variant("d", 4_294_967_296)]),
    ("a number instead of a Boolean", ["single-use": .variant("u", 1)]),
    ("another method's option", ["mode": .variant("s", "")]),
    ("an unknown level", ["accuracy": .variant("s", "none")]), ("no radius", ["radius": .null]),
  ]

  @Test func `a region with invalid options is refused and not created`() throws {
    for (what, change) in Self.invalid {
      guard case .object(let valid) = ServiceClient.circle(52, 13) else { return }
      let options = JSON.object(valid.merging(change) { $1 }.filter { $0.value != .null })
      let answer = try client.createRegion(options)
      #expect(answer.errorName == Self.invalidOption, "\(what): \(answer)")
      #expect(answer.errorMessage?.contains("52") == false, "\(what)")
    }
    #expect(try client.subscriptions().isEmpty)
    #expect(try client.property("InUse") == false)
    // The limits themselves are valid.
    for (latitude, longitude) in [(90.0, 0.0), (-90, 180), (0, -180)] {
      _ = try client.region(ServiceClient.circle(latitude, longitude, radius: 50))
    }
    _ = try client.region(ServiceClient.circle(52, 13, radius: 1_000_000))
    #expect(try client.subscriptions().count == 4)
  }

  @Test(arguments: [(90.0, 0.0, 89.9999, 180.0), (52, 180, 52, -179.9999)])
  func `a region may contain a pole or the antimeridian`(
    latitude: Double, longitude: Double, hereLatitude: Double, hereLongitude: Double
  ) throws {
    let path = try client.regionStarted(ServiceClient.circle(latitude, longitude, radius: 500))
    try eventually("it is inside", turn: rest) {
      try geoclue.fix(latitude: hereLatitude, longitude: hereLongitude)
      return client.happenings(path) == ["determined"]
    }
    #expect(client.events(of: path)[0]["State"]?.content == "inside")
  }

  @Test func `the 101st region of a user is refused`() throws {
    let clients = try [client] + (1..<6).map { _ in try ServiceClient(on: bus) }
    for index in 0..<100 { _ = try clients[index / 20].region(ServiceClient.circle(52, 13)) }
    let last = clients[5]
    for _ in 0..<2 {
      let answer = try last.createRegion(ServiceClient.circle(52, 13))
      #expect(answer.errorName == "\(Service.name).Error.LimitsExceeded")
      #expect(answer.errorMessage?.contains("regions-per-user") == true)
    }
    #expect(try last.subscriptions().count == 100)
    #expect(try last.property("InUse") == false)
    // Subscriptions have separate limits, and closing a region frees its place.
    _ = try last.subscribe()
    let path = try #require(
      try clients[0].subscriptions().first { $0["Sender"]?.content.string == clients[0].connection.uniqueName })
    try clients[0].tell(try #require(path["Path"]?.content.string), "Close")
    _ = try last.region(ServiceClient.circle(52, 13))
    #expect(try last.createRegion(ServiceClient.circle(52, 13)).errorName != nil)
  }

  @Test func `far from the region's border GeoClue is released, and the region remains active`() throws {
    let path = try client.regionStarted(ServiceClient.circle(52, 13))
    try measure(53)
    try client.waitFor(["determined"], path)
    try client.waitFor("StateReason", "resting", within: .seconds(20))
    try client.waitFor("InUse", true)
    try eventually("GeoClue's client is deleted") { try geoclue.clients().isEmpty }
    try client.tell(path, "Stop")
    try client.waitFor("InUse", false)
    try client.waitFor("StateReason", "")
    #expect(try client.property("State", of: path) == "unknown")
    // The state is remembered.
    try client.tell(path, "Start")
    try eventually("the entry is reported", within: .seconds(20), turn: rest) {
      try measure(52)
      return client.happenings(path).last == "entered gap"
    }
  }

  @Test func `an assumed state that proves wrong causes an event that is marked with a gap`() throws {
    try follow()
    let wrong = try client.regionStarted(ServiceClient.circle(52, 13, ["assumed": .variant("s", "outside")]))
    let right = try client.regionStarted(ServiceClient.circle(52, 13, ["assumed": .variant("s", "inside")]))
    try measure(52)
    try client.waitFor(["entered gap"], wrong)
    try client.waitFor(["determined"], right)
  }
}
