// SPDX-License-Identifier: Apache-2.0
import DBus
import Testing

@testable import geopublicist

/// When `geopublicist agent` is its user's agent.
@Suite struct AgentMachineTests {
  private static let desktop: BusName = ":1.7"
  private static let other: BusName = ":1.8"

  private func machine(_ events: AgentMachine.Event...) -> AgentMachine {
    var machine = AgentMachine()
    for event in events { _ = machine.handle(event) }
    return machine
  }

  @Test func `an agent that finds no other registers`() {
    var machine = machine(.geoclueAppeared)
    #expect(machine.handle(.probed(isAnotherRegistered: false)) == [.register])
    #expect(machine.handle(.accepted) == [] && machine.phase == .registered && machine.isShown)
  }

  @Test func `an agent steps aside for one that GeoClue follows`() {
    var machine = machine(.geoclueAppeared)
    #expect(machine.handle(.probed(isAnotherRegistered: true)) == [.listCandidates])
    #expect(machine.phase == .aside && !machine.isShown)
    _ = machine.handle(.candidates([Self.desktop]))
    #expect(machine.handle(.left(Self.other)) == [])
    #expect(machine.handle(.left(Self.desktop)) == [.probe])
  }

  @Test func `a registered agent steps aside for a desktop's and returns after it`() {
    var machine = machine(
      .geoclueAppeared, .probed(isAnotherRegistered: false), .accepted, .rivalFound(Self.desktop, hasAnnounced: false))
    #expect(machine.phase == .aside && !machine.isShown && machine.followsDepartures)
    #expect(machine.handle(.left(Self.desktop)) == [.probe])
    #expect(machine.handle(.probed(isAnotherRegistered: false)) == [.register])
  }

  @Test func `an agent returns after a rival that left before it registered`() {
    var machine = machine(
      .geoclueAppeared, .probed(isAnotherRegistered: false), .accepted, .rivalFound(Self.desktop, hasAnnounced: false),
      .left(Self.desktop))
    // GeoClue still follows this agent, and returns clients because of it.
    #expect(machine.handle(.probed(isAnotherRegistered: true)) == [.register])
    #expect(machine.handle(.accepted) == [] && machine.phase == .registered && machine.isShown)
  }

  @Test func `a desktop whose agent has given up does not keep another one away`() {
    var machine = machine(.rivalFound(Self.desktop, hasAnnounced: false), .geoclueAppeared)
    #expect(!machine.isShown)
    #expect(machine.handle(.probed(isAnotherRegistered: false)) == [.register])
    #expect(machine.isShown)
    _ = machine.handle(.accepted)
    // It is looked for once more when this agent is registered.
    _ = machine.handle(.rivalFound(Self.desktop, hasAnnounced: false))
    #expect(machine.phase == .registered && machine.isShown)
    // It has registered after all.
    _ = machine.handle(.rivalFound(Self.desktop, hasAnnounced: true))
    #expect(machine.phase == .aside && !machine.isShown)
  }

  @Test func `an agent stays aside when GeoClue exits`() {
    var machine = machine(.geoclueAppeared, .probed(isAnotherRegistered: true), .geoclueVanished)
    #expect(!machine.isShown)
    #expect(machine.handle(.geoclueAppeared) == [.probe])
    #expect(machine.isShown)
  }

  @Test func `a late answer of an earlier GeoClue counts for nothing`() {
    var machine = machine(.geoclueAppeared, .geoclueVanished)
    #expect(machine.handle(.probed(isAnotherRegistered: false)) == [])
    #expect(machine.handle(.accepted) == [] && machine.phase == .withoutGeoClue)
  }

  @Test(arguments: [
    ("/usr/bin/gnome-shell", true), ("/usr/libexec/phosh", true), ("/usr/libexec/geoclue-2.0/demos/agent", true),
    ("/usr/bin/agent", false), ("/usr/bin/sway", false), ("", false),
  ]) func `the desktops' agents are known by their programs`(path: String, isAgent: Bool) {
    #expect(RivalWatch.isAgent(executable: path) == isAgent)
  }

  @Test(
    arguments: [
      ("GNOME", Desktop.gnome), ("ubuntu:GNOME", .gnome), ("Phosh:GNOME", .phosh), ("sway:wlroots", .withoutAgent),
      ("X-Unknown", .unknown), (nil, .unknown),
    ] as [(String?, Desktop)]) func `remedies know the desktop`(variable: String?, desktop: Desktop)
  {
    #expect(Desktop(variable) == desktop)
  }
}
