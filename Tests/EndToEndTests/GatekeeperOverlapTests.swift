// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// Changes that overlap, come without a word, or meet somebody who does not answer, while a client listens.
@Suite(.serialized, .enabled(if: ControlGroups.areAvailable, "acts as other users, in control groups of its own"))
struct GatekeeperOverlapTests {
  private let person = GatekeeperMachine.person
  private let place = GGASentence(latitude: 52.516275, longitude: 13.377704)

  /// A client that listens, on a machine of its own.
  private struct Listening {
    let machine: GatekeeperMachine
    let agent: DesktopAgent
    let client: ConsumerProgram
    let path: String

    /// What the subscription was told, in order.
    var statuses: [String] {
      client.client.received.filter { $0.path == path && $0.member == "AuthorizationChanged" }
        .map { "\($0.arguments[0].string ?? "") \($0.arguments[1].string ?? "")" }
    }

    func waitFor(_ status: String, within limit: Duration = .seconds(10)) throws {
      try eventually("it is \(status)", within: limit) { statuses.last == status }
    }

    /// Root's subscription receives a location; this client's does not.
    func expectNothing() throws {
      let before = client.locations(from: path).count
      let root = try machine.consumer(as: 0)
      let other = try root.subscribeAndStart()
      try machine.receiver.write(GGASentence(latitude: 52.617, longitude: 13.478))
      _ = try root.locations(1, from: other)
      // A reply comes after everything that was sent before it.
      _ = try client.property("Version")
      #expect(client.locations(from: path).count == before)
    }
  }

  private func listening(
    _ policy: GatekeeperMachine.Policy = .yes, _ options: JSON = [:],
    before: (GatekeeperMachine) throws -> Void = { _ in }
  ) throws -> Listening {
    let machine = try GatekeeperMachine(policy)
    try before(machine)
    let agent = try machine.agent(of: person)
    let client = try machine.consumer(as: person)
    let path = try client.subscribeAndStart(options)
    try machine.receiver.write(place)
    _ = try client.locations(1, from: path)
    return Listening(machine: machine, agent: agent, client: client, path: path)
  }

  /// GNOME announces that location is off only to a GeoClue that can be started; the service went on delivering.
  @Test func `G1: location that is turned off while GeoClue is away is off`() throws {
    let listening = try listening()
    let (machine, client) = (listening.machine, listening.client)
    machine.killGeoClue()
    try listening.agent.setLevelSilently(0)
    let other = try machine.consumer(as: person)
    let answer = try other.location(["maximum-age": .variant("u", 3_600_000), "timeout": .variant("u", 3_000)])
    #expect(answer.errorName == "\(Daemon.name).Error.NotAuthorized")
    #expect(try other.property("AuthorizationReason") == "disabled-by-user")
    try listening.waitFor("denied disabled-by-user")
    try machine.startGeoClue()
    try listening.expectNothing()
    try listening.agent.setLevel(8)
    try listening.waitFor("authorized-when-in-use ")
    withExtendedLifetime(client) {}
  }

  @Test func `G1: when GeoClue comes back every agent is asked again`() throws {
    let listening = try listening()
    listening.machine.killGeoClue()
    // Nobody calls, so nothing but GeoClue's return is a reason to ask.
    _ = try listening.client.property("Version")
    try listening.agent.setLevelSilently(0)
    try listening.machine.startGeoClue()
    try listening.waitFor("denied disabled-by-user")
    try listening.expectNothing()
  }

  /// A connection that opened every 0.9 s and stayed silent kept the search for an agent from ending, for every user.
  @Test func `D4: silent connections do not keep calls waiting`() throws {
    let machine = try GatekeeperMachine(.yes)
    let client = try machine.consumer(as: person)
    let path = try client.subscribeAndStart()
    let deaf = try ChildProcess([Rig.python, Rig.file("never-read.py"), machine.bus.address, "40", "0"], as: person)
    try eventually("they are there", within: .seconds(30)) { deaf.standardOutput.contains("ready") }
    let answer = try client.location(["timeout": .variant("u", 3_000)])
    #expect(answer.errorName == "\(Daemon.name).Error.NotAuthorized")
    let agent = try machine.agent(of: person)
    let listening = Listening(machine: machine, agent: agent, client: client, path: path)
    try listening.waitFor("authorized-when-in-use ", within: .seconds(30))
  }

  @Test func `D7: a dialog that is answered after an administrator's no grants nothing`() throws {
    let machine = try GatekeeperMachine(.asks)
    try machine.agent(of: person)
    let client = try machine.consumer(as: person)
    let dialogs = try DialogAgent(machine.bus, for: client)
    let request = try client.begin("RequestAuthorization", interactive: true)
    try eventually("the user is asked") { dialogs.asked.count == 1 }
    try machine.setPolicy(.no)
    let other = try machine.consumer(as: person)
    try other.waitFor("AuthorizationReason", "disallowed-by-policy")
    try dialogs.answer("yes")
    #expect(try client.client.answer(to: request) == .reply(["restricted", "disallowed-by-policy"]))
    #expect(try client.location(["timeout": .variant("u", 200)]).errorName == "\(Daemon.name).Error.NotAuthorized")
  }

  @Test func `a yes from a dialog outlasts a change that still asks for it`() throws {
    let machine = try GatekeeperMachine(.asks)
    let agent = try machine.agent(of: person)
    let client = try machine.consumer(as: person)
    let path = try client.subscribeAndStart()
    let dialogs = try DialogAgent(machine.bus, for: client)
    let request = try client.begin("RequestAuthorization", interactive: true)
    try eventually("the user is asked") { dialogs.asked.count == 1 }
    try machine.setPolicy(.asks)
    try dialogs.answer("yes")
    #expect(try client.client.answer(to: request) == .reply(["authorized-when-in-use", ""]))
    let listening = Listening(machine: machine, agent: agent, client: client, path: path)
    try listening.waitFor("authorized-when-in-use ")
    try machine.setPolicy(.no)
    try listening.waitFor("restricted disallowed-by-policy")
    try machine.setPolicy(.asks)
    try listening.waitFor("not-determined authorization-required")
  }

  /// Each login of another user took the location away from running clients for up to 360 ms.
  @Test func `changes that change nothing for a client are not announced to it`() throws {
    let logind = Kept()
    let listening = try listening { logind.process = try $0.startLogind() }
    let watcher = try listening.machine.consumer(as: 0)
    try watcher.client.match("type='signal',interface='org.freedesktop.PolicyKit1.Authority',member='Changed'")
    let before = listening.statuses
    for step in 1...20 {
      let changes = watcher.client.received("Changed").count
      try listening.machine.setPolicy(.yes)
      try logind.process?.send("announce")
      _ = try watcher.client.waitFor(changes + 1, "Changed")
      let count = listening.client.locations(from: listening.path).count
      let sentence = GGASentence(latitude: 52.516275 + Double(step) * 0.001, longitude: 13.377704)
      try listening.machine.receiver.write(sentence)
      _ = try listening.client.locations(count + 1, from: listening.path)
    }
    #expect(listening.statuses == before)
  }

  @Test func `D25: a logind that announces a change and does not answer ends the access`() throws {
    let logind = Kept()
    let listening = try listening { logind.process = try $0.startLogind() }
    try logind.process?.send("hang")
    try logind.process?.send("state online")
    var lines: [String] = []
    try eventually("logind has announced it") {
      lines += logind.process?.newLines() ?? []
      return lines.count { $0 == "done" } == 2
    }
    // A revocation takes effect within 200 ms.
    usleep(200_000)
    try listening.expectNothing()
    try listening.waitFor("not-determined undecided")
    try logind.process?.send("answer")
    try listening.waitFor("denied session-inactive")
    try logind.process?.send("state active")
    try listening.waitFor("authorized-when-in-use ")
  }

  @Test func `a polkit that hangs after a change ends the access after a second`() throws {
    let listening = try listening()
    let before = ContinuousClock.now
    listening.machine.polkit?.signal(SIGSTOP)
    try listening.machine.setPolicy(.no)
    // Another change that polkit has announced already is not needed: a session that ends is a doubt, too.
    let logind = try listening.machine.startLogind()
    try listening.waitFor("not-determined undecided")
    #expect(ContinuousClock.now - before < .seconds(8))
    try listening.expectNothing()
    listening.machine.polkit?.signal(SIGCONT)
    try listening.waitFor("restricted disallowed-by-policy")
    withExtendedLifetime(logind) {}
  }

  /// GeoClue refuses the service only after its next start, and only when it is asked.
  @Test func `a configuration that forbids the service takes the location from its clients`() throws {
    let listening = try listening()
    try listening.machine.setGeoClueRules("[org.geopublicist.Location1]\nallowed=false\nsystem=false\nusers=\n")
    try listening.waitFor("restricted disallowed-by-configuration")
    try listening.machine.setGeoClueRules("")
    try listening.waitFor("authorized-when-in-use ")
  }

  @Test func `D15: changed rules of GeoClue reach a client that listens within a second`() throws {
    let listening = try listening(.yes, ["desktop-id": .variant("s", "org.example.Silent")])
    let forbidden = "[org.example.Silent]\nallowed=false\nsystem=false\nusers=\n"
    try listening.machine.setGeoClueRules(forbidden)
    try listening.waitFor("restricted disallowed-by-configuration", within: .seconds(1))
    try listening.machine.setGeoClueRules("[broken\nallowed=true\n")
    try listening.expectNothing()
    #expect(listening.statuses.last == "restricted disallowed-by-configuration")
    try listening.machine.setGeoClueRules("")
    try listening.waitFor("authorized-when-in-use ")
  }

  /// Something that a closure makes and a test keeps.
  private final class Kept {
    var process: ChildProcess?
  }
}
