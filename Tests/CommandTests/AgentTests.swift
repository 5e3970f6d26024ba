// SPDX-License-Identifier: Apache-2.0
import DBus
import Foundation
import GeopublicistLocationModel
import GeopublicistTestSupport
import Testing

@testable import geopublicist

/// Whether `geopublicist agent` registers as its user's agent.
@Suite struct AgentMachineTests {
  private static let desktop: BusName = ":1.7"
  private static let other: BusName = ":1.8"

  private func machine(_ events: AgentMachine.Event...) -> AgentMachine {
    var machine = AgentMachine()
    for event in events { _ = machine.handle(event) }
    return machine
  }

  @Test func `an agent registers if it finds no other agent`() {
    var machine = machine(.geoclueAppeared)
    #expect(machine.handle(.probed(isAnotherRegistered: false)) == [.register])
    #expect(machine.handle(.accepted) == [] && machine.phase == .registered && !machine.standsAside)
  }

  @Test func `an agent steps aside for the agent that GeoClue uses, and checks again when that agent exits`() {
    var machine = machine(.geoclueAppeared)
    #expect(machine.handle(.probed(isAnotherRegistered: true)) == [.listCandidates])
    #expect(machine.phase == .aside && machine.standsAside)
    _ = machine.handle(.candidates([Self.desktop]))
    #expect(machine.handle(.left(Self.other)) == [])
    #expect(machine.handle(.left(Self.desktop)) == [.probe])
  }

  @Test func `a registered agent steps aside until the desktop's agent exits`() {
    var machine = machine(
      .geoclueAppeared, .probed(isAnotherRegistered: false), .accepted, .rivalFound(Self.desktop, hasAnnounced: false))
    #expect(machine.phase == .aside && machine.standsAside && machine.followsDepartures)
    #expect(machine.handle(.left(Self.desktop)) == [.probe])
    #expect(machine.handle(.probed(isAnotherRegistered: false)) == [.register])
  }

  @Test func `an agent registers again if the other agent exits before GeoClue has accepted it`() {
    var machine = machine(
      .geoclueAppeared, .probed(isAnotherRegistered: false), .accepted, .rivalFound(Self.desktop, hasAnnounced: false),
      .left(Self.desktop))
    // GeoClue still follows this agent, and returns clients because of it.
    #expect(machine.handle(.probed(isAnotherRegistered: true)) == [.register])
    #expect(machine.handle(.accepted) == [] && machine.phase == .registered && !machine.standsAside)
  }

  @Test func `an agent registers even if a running desktop agent never does`() {
    var machine = machine(.rivalFound(Self.desktop, hasAnnounced: false), .geoclueAppeared)
    #expect(machine.standsAside)
    #expect(machine.handle(.probed(isAnotherRegistered: false)) == [.register])
    #expect(!machine.standsAside)
    _ = machine.handle(.accepted)
    // Other agents are searched for again after this agent has registered.
    _ = machine.handle(.rivalFound(Self.desktop, hasAnnounced: false))
    #expect(machine.phase == .registered && !machine.standsAside)
    // The desktop's agent has registered after all.
    _ = machine.handle(.rivalFound(Self.desktop, hasAnnounced: true))
    #expect(machine.phase == .aside && machine.standsAside)
  }

  @Test func `an agent does not register while GeoClue is not running`() {
    var machine = machine(.geoclueAppeared, .probed(isAnotherRegistered: true), .geoclueVanished)
    #expect(machine.standsAside)
    #expect(machine.handle(.geoclueAppeared) == [.probe])
    #expect(!machine.standsAside)
  }

  @Test func `a late answer from a GeoClue that has exited is ignored`() {
    var machine = machine(.geoclueAppeared, .geoclueVanished)
    #expect(machine.handle(.probed(isAnotherRegistered: false)) == [])
    #expect(machine.handle(.accepted) == [] && machine.phase == .withoutGeoClue)
  }

  @Test(arguments: [
    ("/usr/bin/gnome-shell", true), ("/usr/libexec/phosh", true), ("/usr/libexec/geoclue-2.0/demos/agent", true),
    ("/usr/bin/agent", false), ("/usr/bin/sway", false), ("", false),
  ]) func `the desktops' agents are recognised by their programs`(path: String, isAgent: Bool) {
    #expect(RivalWatch.isAgent(executable: path) == isAgent)
  }

  @Test(
    arguments: [
      ("GNOME", Desktop.gnome), ("ubuntu:GNOME", .gnome), ("Phosh:GNOME", .phosh), ("sway:wlroots", .withoutAgent),
      ("X-Unknown", .unknown), (nil, .unknown),
    ] as [(String?, Desktop)]) func `the desktop is recognised from its environment variable`(
      variable: String?, desktop: Desktop
    )
  {
    #expect(Desktop(variable) == desktop)
  }
}

/// `geopublicist agent` and `geopublicist switch` with the real GeoClue.
@Suite(.serialized) struct AgentTests {
  private let folder = TemporaryDirectory()

  private var environment: [String: String] {
    ["XDG_CONFIG_HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "PATH": "\(folder.path):/usr/bin:/bin"]
  }

  private func agent(on bus: PrivateBus) throws -> ChildProcess {
    try ChildProcess([Rig.product("geopublicist"), "--address", bus.address, "agent"], environment: environment)
  }

  @discardableResult private func flip(_ words: String..., on bus: PrivateBus? = nil) throws -> CommandResult {
    try run(
      [Rig.product("geopublicist"), "--address", bus?.address ?? "unix:path=/nonexistent", "switch", "--json"] + words,
      environment: environment)
  }

  private func waitFor(_ state: String, of agent: ChildProcess) throws {
    try eventually("the agent is \(state)", within: .seconds(30)) {
      try flip().standardOutput.contains("\"Agent\":\"\(state)\"")
    }
    #expect(agent.exited == nil)
  }

  @Test func `the switch command works on a desktop without a location switch`() throws {
    let (bus, session) = (try PrivateBus(.system), try PrivateBus(.session))
    let geoclue = try RealGeoClue(on: bus)
    let agent = try agent(on: bus)
    try waitFor("registered", of: agent)
    #expect(agent.standardOutput.hasSuffix("off: this agent decides about locations for this user\n"))
    let service = try Service(.session, on: session, geoclueOn: bus)
    let watch = try CommandRun.started(["watch", "--json"], on: session)
    try eventually("location is off", within: .seconds(30)) { watch.standardError.contains("off") }

    try flip("on")
    try eventually("a fix", within: .seconds(30)) {
      geoclue.receiver.offer(GGASentence(latitude: 52, longitude: 13))
      return watch.standardOutput.contains("Latitude")
    }
    try flip("off")
    try eventually("access is lost", within: .seconds(20)) { service.log.contains("reason disabled-by-user") }
    #expect(try flip().standardOutput == "{\"Switch\":\"off\",\"Agent\":\"registered\"}\n")
  }

  @Test func `the file of the location switch is readable only by its user`() throws {
    try flip("city")
    let file = try FileManager.default.attributesOfItem(atPath: folder.file("geopublicist/agent.conf"))
    #expect(file[.posixPermissions] as? Int == 0o600)
    #expect(try flip().standardOutput.contains("\"Switch\":\"city\""))
    #expect(try flip("bright").exit == .status(2))
  }

  @Test func `turning location on enables the agent for each login`() throws {
    try "#!/bin/sh\necho \"$@\" > '\(folder.file("called"))'\n".write(
      toFile: folder.file("systemctl"), atomically: true, encoding: .utf8)
    chmod(folder.file("systemctl"), 0o755)
    try flip("off")
    #expect(!FileManager.default.fileExists(atPath: folder.file("called")))
    // Regression: the command succeeded although no agent ran.
    let result = try flip("on")
    #expect(result.exit == .status(1) && result.standardError.contains("Location stays off"))
    let called = try String(contentsOfFile: folder.file("called"), encoding: .utf8)
    #expect(called == "--user enable --now geopublicist-agent.service\n")
  }

  @Test func `the agent steps aside while a desktop's agent is running, and registers again afterwards`() throws {
    let bus = try PrivateBus(.system)
    let geoclue = try RealGeoClue(on: bus)
    let desktop = try DesktopAgent(at: bus.address)
    let agent = try agent(on: bus)
    try waitFor("aside", of: agent)
    desktop.kill()
    try waitFor("registered", of: agent)

    // A later agent; GNOME announces its level after it has registered.
    let later = try DesktopAgent(at: bus.address)
    try later.setLevel(4)
    try waitFor("aside", of: agent)
    later.kill()
    try waitFor("registered", of: agent)
    #expect(geoclue.isRunning)
  }

  @Test func `an agent that has stepped aside still reports its level`() throws {
    let bus = try PrivateBus(.system)
    let geoclue = try RealGeoClue(on: bus)
    let desktop = try DesktopAgent(at: bus.address)
    defer { desktop.kill() }
    let agent = try agent(on: bus)
    try waitFor("aside", of: agent)
    let client = try BusClient(at: bus.address)
    let names = try client.askBus("ListNames")[0].array?.compactMap(\.string) ?? []
    let own = try #require(
      names.first { name in
        name.hasPrefix(":")
          && (try? client.askBus("GetConnectionUnixProcessID", signature: "s", [.string(name)])[0])?
            .integer == Int64(agent.processIdentifier)
          && (try? client.get(
            "MaxAccuracyLevel", of: "\(geoClueName).Agent", at: "/org/freedesktop/GeoClue2/Agent", of: name))
            == 0
      })
    try client.match("type='signal',sender='\(own)',member='PropertiesChanged'")
    try flip("city", on: bus)
    let change = try client.waitFor(1, "PropertiesChanged")[0]
    // The signal has no value, because a value would make GeoClue restart clients that depended on this agent.
    #expect(change[1].keys == [] && change[2].array == ["MaxAccuracyLevel"])
    let level = try client.get(
      "MaxAccuracyLevel", of: "\(geoClueName).Agent", at: "/org/freedesktop/GeoClue2/Agent", of: own)
    #expect(level == 4)
    #expect(geoclue.isRunning)
  }

  @Test func `switch fails if another agent decides, and names that agent`() throws {
    let bus = try PrivateBus(.system)
    let geoclue = try RealGeoClue(on: bus)
    let desktop = try DesktopAgent(at: bus.address)
    defer { desktop.kill() }
    let alone = try flip("off", on: bus)
    #expect(alone.exit == .status(1))
    let agent = try agent(on: bus)
    try waitFor("aside", of: agent)
    let off = try flip("off", on: bus)
    #expect(off.exit == .status(1))
    #expect(
      off.standardError.contains(#/Location is not off .*: python3 \(process \d+\) decides, and its level is exact; /#),
      "\(off.standardError)")
    #expect(off.standardOutput == "{\"Switch\":\"off\",\"Agent\":\"aside\"}\n")
    // The deciding agent allows the same level, so the switch takes effect.
    #expect(try flip("on", on: bus).succeeded)
    #expect(try flip(on: bus).succeeded)
    desktop.kill()
    try waitFor("registered", of: agent)
    #expect(try flip("off", on: bus).succeeded)
    #expect(geoclue.isRunning)
  }

  @Test(
    arguments: [
      (
        "off", AgentState.aside, [AgentProgram(process: 7, program: "gnome-shell", level: .exact)],
        "Location is not off"
      ),
      ("off", .notRunning, [AgentProgram(process: 7, program: "agent", level: .city)], "agent (process 7) decides"),
      // Regression: on the system bus, only GeoClue may ask another agent for its level.
      ("off", .notRunning, [AgentProgram(process: 7, program: "gnome-shell", level: nil)], "its level is unknown"),
      (
        "exact", .aside, [AgentProgram(process: 7, program: "phosh", level: AccuracyLevel.none)],
        "The level is not exact"
      ),
      ("off", .aside, [], "Another agent decides"), ("on", .refused, [], "Location stays off"),
      // Regression: the command succeeded.
      ("on", .notRunning, [], "Location stays off"),
      ("off", .refused, [], nil), ("off", .notRunning, [], nil), ("off", .registered, [], nil),
      ("city", .aside, [AgentProgram(process: 7, program: "agent", level: .city)], nil),
    ] as [(String, AgentState, [AgentProgram], String?)])
  func `switch reports a failure if the deciding agent has another level`(
    word: String, state: AgentState, others: [AgentProgram], expected: String?
  ) throws {
    let level = try #require(LocationSwitch.level(word))
    let complaint = SwitchCommand.complaint(about: level, state, others, on: .gnome)
    #expect(expected.map { complaint?.contains($0) == true } ?? (complaint == nil), "\(complaint ?? "nil")")
  }

  @Test func `the agent steps aside for GeoClue's demo agent`() throws {
    let demo = "/usr/libexec/geoclue-2.0/demos/agent"
    guard FileManager.default.fileExists(atPath: demo) else { return }
    let bus = try PrivateBus(.system)
    let geoclue = try RealGeoClue(on: bus)
    let agent = try agent(on: bus)
    try waitFor("registered", of: agent)
    let later = try ChildProcess([demo], environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
    try waitFor("aside", of: agent)
    later.kill()
    try waitFor("registered", of: agent)
    #expect(geoclue.isRunning)
  }

  @Test func `only one agent runs for each user`() throws {
    let bus = try PrivateBus(.system)
    let agent = try agent(on: bus)
    try waitFor("waiting", of: agent)
    let second = try self.agent(on: bus)
    #expect(try second.waitForExit() == .status(1))
    agent.signal(SIGTERM)
    #expect(try agent.waitForExit() == .status(0))
    #expect(try flip().standardOutput.contains("not-running"))
  }
}
