// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Testing

@testable import GeoClue

/// In the session deployment the user's own agent decides, and ours is never registered.
@Suite(.serialized) struct SessionAgentTests {
  private func rig() throws -> (bus: PrivateBus, geoclue: FakeGeoClue, listener: SourceListener) {
    let bus = try PrivateBus(.session)
    return (bus, try FakeGeoClue(on: bus), try SourceListener(on: bus, registersAgent: false))
  }

  /// With an agent, and a source that waits for a fix.
  private func running() throws -> (
    bus: PrivateBus, geoclue: FakeGeoClue, listener: SourceListener, agent: DesktopAgent
  ) {
    let (bus, geoclue, listener) = try rig()
    let agent = try DesktopAgent(at: bus.address)
    listener.source.require(.exact)
    try listener.waitFor(.waiting, .noFix)
    return (bus, geoclue, listener, agent)
  }

  @Test func `a client that GeoClue creates for a late agent is deleted if there are no subscribers`() throws {
    let (bus, geoclue, listener) = try rig()
    listener.source.require(.exact)
    try turning("it waits") { geoclue.count(of: "CreateClient") == 1 }
    listener.source.require(nil)
    let agent = try DesktopAgent(at: bus.address)
    try turning("the late client is deleted") { geoclue.count(of: "DeleteClient") == 1 }
    #expect(try geoclue.clients().isEmpty)
    withExtendedLifetime(agent) {}
  }

  @Test func `a change of the property Active reports that location was turned off or on`() throws {
    let (_, geoclue, listener, agent) = try running()
    let client = try #require(try geoclue.clients().first?["path"]?.string)
    try geoclue.tell(["active": false, "client": .string(client)])
    try listener.waitFor(.unavailable, .disabledByUser)
    #expect(listener.authorization == .refused(.disabledByUser))
    try geoclue.tell(["active": true, "client": .string(client)])
    try listener.waitFor(.waiting, .noFix)
    #expect(listener.authorization == .authorized(.always))
    withExtendedLifetime(agent) {}
  }

  @Test(arguments: [false, true]) func `when an agent exits, its level no longer applies and the agent is missing`(
    hasSpoken: Bool
  ) throws {
    let (bus, geoclue, listener, agent) = try running()
    if hasSpoken {
      try agent.setLevel(5)
      try turning("reduced") { listener.authorization.level == .neighborhood }
    }
    // The replies to the questions about names on the bus.
    try turning("the bus has answered") { geoclue.count(of: "Get") >= 2 }
    _ = try geoclue.clients()
    agent.kill()
    try listener.waitFor(.waiting, .noAgent)
    #expect(listener.authorization == .refused(.noAgent))
    #expect(try geoclue.clients().isEmpty)
    let next = try DesktopAgent(at: bus.address)
    try listener.waitFor(.waiting, .noFix)
    #expect(listener.authorization == .authorized(.always))
    withExtendedLifetime(next) {}
  }

  private func announce(_ level: Int64?, from connection: BusClient) throws {
    let (changed, invalidated): (JSON, JSON) =
      level.map { (["MaxAccuracyLevel": .variant("u", .integer($0))], []) } ?? ([:], ["MaxAccuracyLevel"])
    try connection.emit(
      "PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: "\(geoCluePath)/Agent", signature: "sa{sv}as",
      ["\(geoClueName).Agent", changed, invalidated])
  }

  @Test func `an agent that announces only that its level has changed no longer limits it`() throws {
    let (bus, geoclue, listener, agent) = try running()
    let other = try BusClient(at: bus.address)
    try announce(5, from: other)
    try turning("reduced") { listener.authorization.level == .neighborhood }
    try announce(nil, from: other)
    try turning("exact") { listener.authorization.level == .exact }
    withExtendedLifetime((agent, geoclue)) {}
  }

  /// Regression: the level was forgotten when the source was released, and a location from before answered a call at once.
  @Test func `a lower level counts in the next use, too`() throws {
    let (bus, geoclue, listener, agent) = try running()
    try agent.setLevel(5)
    try turning("reduced") { listener.authorization.level == .neighborhood }
    listener.source.require(nil)
    listener.source.require(.exact)
    try turning("it is authorized again") { listener.authorization.isAuthorized }
    #expect(listener.authorization == .authorized(.always, level: .neighborhood))
    withExtendedLifetime((bus, geoclue, agent)) {}
  }

  @Test func `during a rest a lower level counts immediately, and a higher one needs GeoClue`() throws {
    let (bus, geoclue, listener, agent) = try running()
    let other = try BusClient(at: bus.address)
    listener.source.rest()
    try announce(5, from: other)
    try turning("reduced") { listener.authorization == .authorized(.always, level: .neighborhood) }
    try announce(8, from: other)
    try turning("undecided") { listener.authorization == .undecided }
    withExtendedLifetime((agent, geoclue)) {}
  }

  @Test(.enabled(if: Rig.isRoot, "needs another user"))
  func `in the session deployment, another user's agent is ignored`() throws {
    let (bus, geoclue, listener, agent) = try running()
    let outsider = try BusClient(at: bus.address, as: 65534)
    for _ in 0..<3 {
      try outsider.emit(
        "PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: "\(geoCluePath)/Agent", signature: "sa{sv}as",
        ["\(geoClueName).Agent", ["MaxAccuracyLevel": .variant("u", 0)], []])
    }
    try turning(for: .milliseconds(100), "nothing changes") { listener.status.reason == .noFix }
    outsider.kill()
    try turning(for: .milliseconds(100), "nothing changes") { listener.status.reason == .noFix }
    #expect(geoclue.count(of: "CreateClient") == 1)
    #expect(listener.authorizations == [.authorized(.always)])
    withExtendedLifetime(agent) {}
  }
}

private let geoCluePath = "/org/freedesktop/GeoClue2"
