// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Testing

@testable import GeoClue

/// The whole source against a GeoClue whose faults are chosen: it refuses, hangs, dies, comes back.
@Suite(.serialized) struct FakeGeoClueFaultTests {
  private func rig() throws -> (bus: PrivateBus, geoclue: FakeGeoClue, listener: SourceListener) {
    let bus = try PrivateBus(.session)
    return (bus, try FakeGeoClue(on: bus), try SourceListener(on: bus))
  }

  @Test func `GeoClue is not started without demand`() throws {
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

  @Test func `a GeoClue that hangs is no missing agent and leaves no client behind`() throws {
    let (_, geoclue, listener) = try rig()
    try geoclue.fault(on: "CreateClient", "hang")
    try geoclue.fault(on: "Get", "hang")
    listener.source.require(.exact)
    // Within ten seconds: the calls that hang take 25 to fail.
    try listener.waitFor(.unavailable, .geoclueRestarting)
    listener.source.require(nil)
    try geoclue.release("Get")
    try geoclue.release("CreateClient")
    try turning("the late client is deleted") { geoclue.count(of: "DeleteClient") == 1 }
    #expect(try geoclue.clients().isEmpty)
    #expect(geoclue.count(of: "CreateClient") == 1)
  }

  @Test func `the late client of a GeoClue that lost its name is deleted there`() throws {
    let (_, geoclue, listener) = try rig()
    try geoclue.fault(on: "CreateClient", "hang")
    listener.source.require(.exact)
    try turning("it hangs") { geoclue.count(of: "CreateClient") == 1 }
    try geoclue.tell(["name": "release"])
    try turning("it is gone") { listener.status.state == .unavailable }
    try geoclue.release("CreateClient")
    try turning("the late client is deleted") { geoclue.count(of: "DeleteClient") == 1 }
    #expect(try geoclue.clients().isEmpty)
    try geoclue.tell(["name": "request"])
    try listener.waitFor(.waiting, .noFix)
    #expect(try geoclue.clients().count == 1)
  }

  @Test func `a client of a GeoClue that lost its name is deleted there, and its fixes do not count`() throws {
    let (_, geoclue, listener) = try rig()
    listener.source.require(.exact)
    try listener.waitFor(.waiting, .noFix)
    try geoclue.tell(["name": "release"])
    try turning("the client is deleted") { try geoclue.clients().isEmpty }
    try geoclue.fix(latitude: 3, longitude: 4)
    try turning(for: .milliseconds(100), "no location") { listener.locations.isEmpty }
  }

  @Test func `malformed answers are failures like others`() throws {
    let (_, geoclue, listener) = try rig()
    try geoclue.fault(on: "CreateClient", "reply", ["signature": "s", "arguments": ["/not/a/path"], "times": 1])
    try geoclue.fault(on: "Set", "reply", ["signature": "u", "arguments": [7], "times": 1])
    try geoclue.fault(on: "Get", "reply", ["signature": "v", "arguments": [.variant("s", "high")], "times": 1])
    listener.source.require(.exact)
    try listener.waitFor(.waiting, .noFix)
    #expect(try geoclue.clients().count == 1)
    #expect(listener.failures.first?.code == .unavailable)
  }

  @Test func `a client that cannot be given its level is not started with another`() throws {
    let (_, geoclue, listener) = try rig()
    try geoclue.fault(
      on: "Set", "refuse",
      ["name": "org.freedesktop.DBus.Error.InvalidArgs", "text": "no", "times": 2])
    listener.source.require(.city)
    try turning("another try") { geoclue.count(of: "CreateClient") == 2 }
    try listener.waitFor(.waiting, .noFix)
    let clients = try geoclue.clients()
    #expect(clients.count == 1)
    #expect(clients.first?["RequestedAccuracyLevel"] == 4)
  }

  @Test func `a client that vanishes silently is noticed when it is needed`() throws {
    let (_, geoclue, listener) = try rig()
    try geoclue.fault(on: "Start", "delay", ["seconds": 0.3, "times": 1])
    listener.source.require(.exact)
    try turning("it starts") { geoclue.count(of: "Start") == 1 }
    try geoclue.tell(["forget": "clients"])
    try turning("another try") { geoclue.count(of: "CreateClient") == 2 }
    try listener.waitFor(.waiting, .noFix)
  }
}
