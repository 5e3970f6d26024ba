// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import PublicistTesting
import Testing

@testable import GeoClue

/// The whole source against a simulated GeoClue that refuses, hangs, exits, restarts, and sends invalid fixes.
@Suite(.serialized) struct FakeGeoClueTests {
  private let path = "/org/freedesktop/GeoClue2"

  private func rig() throws -> (bus: PrivateBus, geoclue: FakeGeoClue, listener: SourceListener) {
    let bus = try PrivateBus(.session)
    return (bus, try FakeGeoClue(on: bus), try SourceListener(on: bus))
  }

  private func running() throws -> (bus: PrivateBus, geoclue: FakeGeoClue, listener: SourceListener) {
    let rig = try rig()
    rig.listener.source.require(.exact)
    try rig.listener.waitFor(.waiting, .noFix)
    return rig
  }

  @Test func `an unreadable location is reported, and later fixes are delivered`() throws {
    let (_, geoclue, listener) = try running()
    let location: JSON = "org.freedesktop.GeoClue2.Location"
    let replies: [(String, [String: JSON])] = [
      ("reply", ["signature": "a{sv}", "arguments": [[:]]]),
      ("reply", ["signature": "a{sv}", "arguments": [["Latitude": .variant("s", "north")]]]),
      ("reply", ["signature": "s", "arguments": ["north"]]),
      ("reply", [:]),
      ("refuse", ["name": "org.freedesktop.DBus.Error.UnknownMethod", "text": "Object does not exist at path"]),
    ]
    for (index, (fault, parameters)) in replies.enumerated() {
      try geoclue.fault(on: "GetAll", fault, parameters.merging(["interface": location, "times": 1]) { $1 })
      try geoclue.fix(latitude: 1, longitude: 2)
      try turning("failure \(index)") { listener.failures.count == index + 1 }
      #expect(listener.failures.last?.code == .locationUnknown)
      #expect(listener.locations.isEmpty)
    }
    try geoclue.fix(latitude: 3, longitude: 4)
    #expect(try listener.location().latitude == 3)
  }

  /// Regression: the location was lost, although a silent source announces no other.
  @Test func `the newest location is read again if GeoClue was too slow to answer`() throws {
    let (_, geoclue, listener) = try running()
    try geoclue.fault(on: "GetAll", "hang", ["times": 1])
    try MainLoop.main.withVirtualTime { time in
      let turn = {
        time.advance()
        nap()
      }
      try geoclue.fix(latitude: 3, longitude: 4)
      try eventually("it is being read", turn: turn) { geoclue.count(of: "GetAll") == 1 }
      #expect(listener.failures.isEmpty)
      time.advance(by: .seconds(5))
      #expect(listener.failures.map(\.code) == [.locationUnknown])
      try eventually("it has been read", turn: turn) { listener.locations.map(\.latitude) == [3] }
    }
  }

  @Test func `impossible coordinates are reported without their values`() throws {
    let (_, geoclue, listener) = try running()
    try geoclue.fix(latitude: 123.456, longitude: 4)
    try turning("a failure") { !listener.failures.isEmpty }
    #expect(listener.failures.last?.message.contains("123") == false)
    #expect(listener.locations.isEmpty)
    #expect(listener.status.reason == .noFix)
  }

  @Test func `startOver deletes the GeoClue client and creates a new one`() throws {
    let (_, geoclue, listener) = try running()
    let old = try geoclue.clients().first?["path"]
    try geoclue.fix(latitude: 3, longitude: 4)
    _ = try listener.location()
    try geoclue.tell(["fix": .null])
    listener.source.startOver()
    try listener.waitFor(.waiting, .noFix)
    try turning("another client") {
      let clients = try geoclue.clients()
      return clients.count == 1 && clients.first?["path"] != old
    }
    #expect(listener.locations.count == 1)
  }

  /// A fix with a course, which GeoClue announces again whenever the compass turns.
  private func fix(_ geoclue: FakeGeoClue, _ latitude: Double, at second: UInt64, _ source: String) throws {
    try geoclue.fix(
      latitude: latitude, longitude: 4,
      [
        "Accuracy": 2, "Heading": 200, "Description": .string(source),
        "Timestamp": .variant("(tt)", [.integer(Int64(second)), 0]),
      ])
  }

  @Test(arguments: [("GPS GGA", false), ("WiFi", false), ("Static location", true), ("GeoIP (ichnaea)", true)])
  func `a location that is repeated to a new client counts as new only from a static or address-based source`(
    source: String, isAsserted: Bool
  ) throws {
    let (_, geoclue, listener) = try running()
    for _ in 0..<3 { try fix(geoclue, 3, at: 1_700_000_000, source) }
    let first = try listener.location()
    listener.source.startOver()
    let repetition = try listener.location(2)
    #expect(listener.locations.count == 2)
    #expect((repetition.receivedAt > first.receivedAt) == isAsserted)
    #expect(repetition.isSameMeasurement(as: first))
  }

  /// Regression: both counted as new, so that the older one was delivered and both answered requests.
  @Test func `of the locations with which GeoClue begins for a new client, only the last is repeated`() throws {
    let (_, geoclue, listener) = try running()
    try fix(geoclue, 3, at: 1_700_000_000, "GPS GGA")
    _ = try listener.location()
    try fix(geoclue, 4, at: 1_700_000_100, "WiFi")
    let newest = try listener.location(2)
    let older: [String: JSON] = [
      "Latitude": 3, "Longitude": 4, "Accuracy": 2, "Heading": 200, "Description": "GPS GGA",
      "Timestamp": .variant("(tt)", [1_700_000_000, 0]),
    ]
    try geoclue.tell(["older": .object(older)])
    listener.source.startOver()
    #expect(try listener.location(3) == newest, "with its age")
    try fix(geoclue, 5, at: 1_700_000_200, "WiFi")
    _ = try listener.location(4)
    #expect(listener.locations.map(\.latitude) == [3, 4, 4, 5])
  }

  @Test func `while a compass exists, the heading is computed from the course or absent`() throws {
    let (bus, geoclue, listener) = try running()
    try fix(geoclue, 3, at: 1_700_000_000, "GPS GGA")
    #expect(try listener.location().heading == 200, "without a compass it is the receiver's course")
    let compass = try BusClient(at: bus.address)
    try compass.own("net.hadess.SensorProxy")
    try turning("the compass is noticed") { listener.source.mayHaveCompass }
    try fix(geoclue, 3.0001, at: 1_700_000_001, "GPS GGA")
    #expect(try #require(try listener.location(2).heading) < 0.1)
    try fix(geoclue, 3.0001, at: 1_700_000_020, "GPS GGA")
    #expect(try listener.location(3).heading == nil, "no recent location is far enough away for a course")
    compass.kill()
    try turning("its removal is noticed") { !listener.source.mayHaveCompass }
    try fix(geoclue, 3.0002, at: 1_700_000_021, "GPS GGA")
    #expect(try listener.location(4).heading == 200)
  }

  @Test func `signals are accepted only from the owner of GeoClue's name`() throws {
    let (bus, geoclue, listener) = try running()
    try geoclue.fix(latitude: 3, longitude: 4)
    _ = try listener.location()
    let client = try #require(try geoclue.clients().first?["path"]?.string)
    let forger = try BusClient(at: bus.address)
    let (properties, us) = ("org.freedesktop.DBus.Properties", listener.connection.uniqueName.rawValue)
    for destination in [nil, us] {
      try forger.emit(
        "LocationUpdated", of: "\(geoClueName).Client", at: client, to: destination, signature: "oo",
        ["/", .string("\(client)/Location/1")])
      try forger.emit(
        "PropertiesChanged", of: properties, at: client, to: destination, signature: "sa{sv}as",
        ["\(geoClueName).Client", ["Active": .variant("b", false)], []])
      try forger.emit(
        "PropertiesChanged", of: properties, at: "\(path)/Manager", to: destination, signature: "sa{sv}as",
        ["\(geoClueName).Manager", ["AvailableAccuracyLevel": .variant("u", 0)], []])
      try forger.emit(
        "NameOwnerChanged", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", to: destination, signature: "sss",
        [.string(geoClueName), "", ""])
    }
    try geoclue.fix(latitude: 5, longitude: 6)
    #expect(try listener.location(2).latitude == 5)
    #expect(listener.locations.count == 2)
    #expect(listener.status == SourceStatus(state: .running, availableAccuracy: .exact))
    #expect(listener.authorizations == [.authorized(.always)])
  }

  @Test func `a finer level creates a second GeoClue client only after the first is deleted`() throws {
    let (_, geoclue, listener) = try rig()
    listener.source.require(.city)
    try listener.waitFor(.waiting, .noFix)
    #expect(try geoclue.clients().first?["RequestedAccuracyLevel"] == 4)
    listener.source.require(.exact)
    try turning("a finer client") {
      let clients = try geoclue.clients()
      #expect(clients.count <= 1)
      return clients.first?["RequestedAccuracyLevel"] == 8
    }
    let order = geoclue.calls.map(\.member).filter { ["CreateClient", "DeleteClient"].contains($0) }
    #expect(order == ["CreateClient", "DeleteClient", "CreateClient"])
    listener.source.require(nil)
    try turning("the client is deleted") { try geoclue.clients().isEmpty }
    #expect(listener.status.state == .idle && listener.authorization == .undecided)
    #expect(geoclue.count(of: "Stop") == 0, "a stopped client would be started again by its agent")
  }

  @Test func `a subscriber that leaves during a delivery is released`() throws {
    let (_, geoclue, listener) = try running()
    listener.source.onEvent = { [weak source = listener.source] event in
      if case .location = event { source?.require(nil) }
    }
    try geoclue.fix(latitude: 3, longitude: 4)
    try turning("the client is deleted") { try geoclue.clients().isEmpty }
    listener.source.onEvent = { [weak source = listener.source] event in
      if case .authorization(let authorization) = event, authorization.isAuthorized { source?.require(nil) }
    }
    listener.source.require(.exact)
    try turning("a client was created and deleted") { geoclue.count(of: "DeleteClient") >= 2 }
    try turning("nothing is left") { try geoclue.clients().isEmpty }
  }

  @Test func `GeoClue is not started without subscribers`() throws {
    let bus = try PrivateBus(.session)
    let listener = try SourceListener(on: bus)
    try turning(for: .milliseconds(100), "idle") { listener.statuses.isEmpty }
    listener.source.require(.exact)
    try listener.waitFor(.unavailable, .geoclueNotInstalled)
    #expect(listener.failures.first?.code == .unavailable)
    #expect(listener.authorization == .undecided)
    let geoclue = try FakeGeoClue(on: bus)
    try listener.waitFor(.waiting, .noFix)
    #expect(try geoclue.clients().count == 1)
  }

  @Test func `a GeoClue that hangs is not reported as a missing agent, and its late client is deleted`() throws {
    let (_, geoclue, listener) = try rig()
    try geoclue.fault(on: "CreateClient", "hang")
    try geoclue.fault(on: "Get", "hang")
    listener.source.require(.exact)
    // The hanging calls fail after 25 seconds.
    try listener.waitFor(.unavailable, .geoclueRestarting, within: .seconds(20))
    listener.source.require(nil)
    try geoclue.release("Get")
    try geoclue.release("CreateClient")
    try turning("the late client is deleted") { geoclue.count(of: "DeleteClient") == 1 }
    #expect(try geoclue.clients().isEmpty)
    #expect(geoclue.count(of: "CreateClient") == 1)
  }

  @Test func `a client that GeoClue creates after losing its name is deleted`() throws {
    let (_, geoclue, listener) = try rig()
    try geoclue.fault(on: "CreateClient", "hang")
    listener.source.require(.exact)
    try turning("it hangs") { geoclue.count(of: "CreateClient") == 1 }
    try geoclue.tell(["name": "release"])
    try turning("it has been removed") { listener.status.state == .unavailable }
    try geoclue.release("CreateClient")
    try turning("the late client is deleted") { geoclue.count(of: "DeleteClient") == 1 }
    #expect(try geoclue.clients().isEmpty)
    try geoclue.tell(["name": "request"])
    try listener.waitFor(.waiting, .noFix)
    #expect(try geoclue.clients().count == 1)
  }

  @Test func `when GeoClue loses its name, its client is deleted and its signals are ignored`() throws {
    let (_, geoclue, listener) = try running()
    try geoclue.tell(["name": "release"])
    try turning("the client is deleted") { try geoclue.clients().isEmpty }
    try geoclue.fix(latitude: 3, longitude: 4)
    try turning(for: .milliseconds(100), "no location") { listener.locations.isEmpty }
  }

  @Test func `malformed answers from GeoClue count as failures`() throws {
    let (_, geoclue, listener) = try rig()
    try geoclue.fault(on: "CreateClient", "reply", ["signature": "s", "arguments": ["/not/a/path"], "times": 1])
    try geoclue.fault(on: "Set", "reply", ["signature": "u", "arguments": [7], "times": 1])
    try geoclue.fault(on: "Get", "reply", ["signature": "v", "arguments": [.variant("s", "high")], "times": 1])
    listener.source.require(.exact)
    try listener.waitFor(.waiting, .noFix)
    #expect(try geoclue.clients().count == 1)
    #expect(listener.failures.first?.code == .unavailable)
  }

  @Test func `a client whose level cannot be set is deleted instead of started`() throws {
    let (_, geoclue, listener) = try rig()
    let error: JSON = "org.freedesktop.DBus.Error.InvalidArgs"
    try geoclue.fault(
      on: "Set", "refuse", ["property": "RequestedAccuracyLevel", "name": error, "text": "no", "times": 1])
    listener.source.require(.city)
    try turning("another attempt") { geoclue.count(of: "CreateClient") == 2 }
    try listener.waitFor(.waiting, .noFix)
    let clients = try geoclue.clients()
    #expect(clients.count == 1)
    #expect(clients.first?["RequestedAccuracyLevel"] == 4)
  }

  @Test func `a GeoClue client that has disappeared without a signal is replaced when it is needed`() throws {
    let (_, geoclue, listener) = try rig()
    try geoclue.fault(on: "Start", "hang")
    listener.source.require(.exact)
    try turning("it starts") { geoclue.count(of: "Start") == 1 }
    try geoclue.tell(["forget": "clients"])
    try geoclue.release("Start")
    try turning("another attempt") { geoclue.count(of: "CreateClient") == 2 }
    try listener.waitFor(.waiting, .noFix)
  }
}
