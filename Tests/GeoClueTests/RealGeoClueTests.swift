// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Testing

@testable import GeoClue

/// The whole source against the packaged GeoClue, for behaviour that needs no simulated faults.
@Suite(.serialized) struct RealGeoClueTests {
  private let here = GGASentence(latitude: 52.516275, longitude: -13.377704)
  private let there = GGASentence(latitude: 48.858222, longitude: 2.2945)

  private func system() throws -> (geoclue: RealGeoClue, listener: SourceListener) {
    let bus = try PrivateBus(.system)
    return (try RealGeoClue(on: bus), try SourceListener(on: bus))
  }

  private func session(level: Int? = 8, idleSeconds: Int = 0) throws -> (
    bus: PrivateBus, geoclue: RealGeoClue, listener: SourceListener, agent: DesktopAgent?
  ) {
    let bus = try PrivateBus(.system)
    let geoclue = try RealGeoClue(on: bus, idleSeconds: idleSeconds)
    let agent = try level.map { try DesktopAgent(at: bus.address, level: $0) }
    return (bus, geoclue, try SourceListener(on: bus, registersAgent: false), agent)
  }

  private func expect(_ location: Location, at sentence: GGASentence) {
    #expect(abs(location.latitude - sentence.latitude) < 1e-6)
    #expect(abs(location.longitude - sentence.longitude) < 1e-6)
  }

  @Test func `with the service's own agent, GeoClue delivers a location and is released afterwards`() throws {
    let (geoclue, listener) = try system()
    listener.source.require(.exact)
    try listener.waitFor(.waiting, .noFix)
    try geoclue.receiver.write(here, turn: turn)
    expect(try listener.location(), at: here)
    #expect(listener.status == SourceStatus(state: .running, availableAccuracy: .exact))
    #expect(try geoclue.clients().count == 1)
    // A location announced to a new client keeps its age; 2.6 announces it with a new timestamp. GeoClue may read a
    // sentence that was written for the previous client, so write again.
    listener.source.startOver()
    try turning("another location") {
      try? geoclue.receiver.write(there, within: .milliseconds(500), turn: turn)
      return listener.locations.last.map { abs($0.latitude - there.latitude) < 1e-6 } ?? false
    }
    listener.source.require(nil)
    try turning("the client is deleted") { try geoclue.clients().isEmpty }
    #expect(listener.failures.isEmpty)
  }

  @Test func `when a receiver disconnects, its last fix is dropped`() throws {
    let (geoclue, listener) = try system()
    listener.source.require(.exact)
    try geoclue.receiver.write(here, turn: turn)
    _ = try listener.location()
    geoclue.receiver.closeConnections()
    // 2.6 reports the lower accuracy; 2.7 and 2.8 do not.
    try turning("the source is lost") { listener.status.availableAccuracy.map { $0 < .exact } ?? false }
    try turning("the fix is forgotten") { [.noSource, .noFix].contains(listener.status.reason) }
    #expect(try geoclue.clients().count == 1)
  }

  @Test func `an agent that starts after GeoClue has exited is used`() throws {
    let (bus, geoclue, listener, _) = try session(level: nil, idleSeconds: 8)
    listener.source.require(.exact)
    try listener.waitFor(.waiting, .noAgent)
    #expect(listener.authorization == .refused(.noAgent))
    try turning("it exits", within: .seconds(30)) { !geoclue.isRunning && listener.status.availableAccuracy == nil }
    #expect(listener.status.reason == .noAgent)
    try geoclue.restart()
    let agent = try DesktopAgent(at: bus.address)
    defer { agent.kill() }
    try listener.waitFor(.waiting, .noFix)
    try turning("no orphans are left") { try geoclue.clients().count == 1 }
  }

  @Test func `the user's location switch ends and restores access`() throws {
    let (_, geoclue, listener, agent) = try session()
    listener.source.require(.exact)
    try geoclue.receiver.write(here, turn: turn)
    _ = try listener.location()
    try agent?.setLevel(0)
    try listener.waitFor(.unavailable, .disabledByUser)
    #expect(listener.authorization == .refused(.disabledByUser))
    // GeoClue 2.6 permanently loses a receiver that it closes while connecting. Turning the switch on again before our
    // next attempt would trigger this bug.
    try turning("GeoClue itself has refused") { listener.failures.last?.code == .denied }
    try agent?.setLevel(8)
    try turning("location is on again") { listener.authorization == .authorized(.always) }
    #expect(try geoclue.clients().count == 1)
    try geoclue.receiver.write(there, turn: turn)
    try turning("a new location") { listener.locations.last.map { abs($0.latitude - there.latitude) < 1e-6 } ?? false }
  }

  @Test func `when the agent lowers its level, the GeoClue client is replaced`() throws {
    let (_, geoclue, listener, agent) = try session()
    listener.source.require(.exact)
    try turning("the receiver is used") { geoclue.receiver.isConnected }
    try agent?.setLevel(4)
    try turning("the receiver is released") { !geoclue.receiver.isConnected }
    try turning("the lower level is reported") { listener.authorization == .authorized(.always, level: .city) }
  }

  @Test func `when the agent exits, the GeoClue client is deleted`() throws {
    let (bus, geoclue, listener, agent) = try session()
    listener.source.require(.exact)
    try geoclue.receiver.write(here, turn: turn)
    _ = try listener.location()
    agent?.kill()
    try listener.waitFor(.waiting, .noAgent)
    try turning("the receiver is released") { !geoclue.receiver.isConnected }
    // The next agent starts with location turned off.
    let next = try DesktopAgent(at: bus.address, level: 0)
    try listener.waitFor(.unavailable, .disabledByUser)
    try next.setLevel(8)
    try geoclue.receiver.write(there, turn: turn)
    try turning("a new location") { listener.locations.last.map { abs($0.latitude - there.latitude) < 1e-6 } ?? false }
  }

  @Test func `without subscribers, turning location on does not create a GeoClue client`() throws {
    let (_, geoclue, listener, agent) = try session()
    listener.source.require(.exact)
    try listener.waitFor(.waiting, .noFix)
    try agent?.setLevel(0)
    try turning("off") { listener.authorization == .refused(.disabledByUser) }
    listener.source.require(nil)
    try agent?.setLevel(8)
    try turning("nothing is left") { try geoclue.clients().isEmpty }
    try turning(for: .milliseconds(200), "the receiver rests") { !geoclue.receiver.isConnected }
    #expect(listener.authorization == .undecided)
  }
}
