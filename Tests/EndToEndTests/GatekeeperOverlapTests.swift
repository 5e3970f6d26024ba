// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// Overlapping, silent and unanswered changes while a client is subscribed.
@Suite(.serialized, .enabled(if: ControlGroups.areAvailable, "needs other users and separate control groups"))
struct GatekeeperOverlapTests {
  private let user = GatekeeperFixture.user

  /// GNOME announces that location is off only to a GeoClue that can be started. Regression: the service continued to
  /// deliver.
  @Test func `location that is turned off while GeoClue is not running is off for all clients`() throws {
    let listening = try Listening()
    let machine = listening.machine
    machine.killGeoClue()
    try listening.agent.setLevelSilently(0)
    let other = try machine.client(as: user)
    // The answer comes as soon as the agent has been asked. Without that, a timeout would report the missing GeoClue.
    let answer = try other.location(["maximum-age": .variant("u", 3_600_000), "timeout": .variant("u", 20_000)])
    #expect(answer.errorName == "\(Service.name).Error.NotAuthorized")
    try other.waitFor("AuthorizationReason", "disabled-by-user")
    try listening.waitFor("denied disabled-by-user")
    try machine.startGeoClue()
    try listening.expectNothing()
    try listening.agent.setLevel(8)
    try listening.waitFor("authorized-when-in-use ")
  }

  @Test func `when GeoClue starts again, every agent is asked again`() throws {
    let listening = try Listening()
    listening.machine.killGeoClue()
    // No client makes a call, so only GeoClue's return makes the service ask the agents.
    _ = try listening.client.property("Version")
    try listening.agent.setLevelSilently(0)
    try listening.machine.startGeoClue()
    try listening.waitFor("denied disabled-by-user")
    try listening.expectNothing()
  }

  /// Regression: a silent connection that opened every 0.9 s prevented the end of the search for an agent, for every
  /// user.
  @Test func `calls are answered although silent connections open and close`() throws {
    let machine = try GatekeeperFixture(.yes)
    let client = try machine.client(as: user)
    let path = try client.subscribeAndStart()
    let deaf = try ChildProcess.ready(
      [Rig.python, Rig.file("many-clients.py"), machine.bus.address, "never-read", "40", "0"], as: user)
    defer { deaf.kill() }
    let answer = try client.location(["timeout": .variant("u", 3_000)])
    #expect(answer.errorName == "\(Service.name).Error.NotAuthorized")
    try machine.agent(of: user)
    try client.waitForAuthorization("authorized-when-in-use ", of: path, within: .seconds(30))
  }

  @Test func `consent in a dialog grants nothing after the administrator has forbidden access`() throws {
    let asking = try Asking()
    let client = asking.client
    try asking.machine.setPolicy(.no)
    let other = try asking.machine.client(as: user)
    try other.waitFor("AuthorizationReason", "disallowed-by-policy")
    try asking.dialogs.answer("yes")
    #expect(try client.connection.answer(to: asking.request) == .reply(["restricted", "disallowed-by-policy"]))
    #expect(try client.location(["timeout": .variant("u", 200)]).errorName == "\(Service.name).Error.NotAuthorized")
  }

  @Test func `consent in a dialog remains valid while the rules still ask the user`() throws {
    let asking = try Asking()
    let (machine, client) = (asking.machine, asking.client)
    let path = try client.subscribeAndStart()
    try machine.setPolicy(.asks)
    try asking.dialogs.answer("yes")
    #expect(try client.connection.answer(to: asking.request) == .reply(["authorized-when-in-use", ""]))
    try client.waitForAuthorization("authorized-when-in-use ", of: path)
    try machine.setPolicy(.no)
    try client.waitForAuthorization("restricted disallowed-by-policy", of: path)
    try machine.setPolicy(.asks)
    try client.waitForAuthorization("not-determined authorization-required", of: path)
  }

  /// Regression: each login of another user interrupted running clients for up to 360 ms.
  @Test func `a client is not informed of changes that do not affect it`() throws {
    let logind = Kept()
    let listening = try Listening { logind.process = try $0.startLogind() }
    let watcher = try listening.machine.client(as: 0)
    try watcher.connection.match("type='signal',interface='org.freedesktop.PolicyKit1.Authority',member='Changed'")
    let before = listening.client.authorizations(of: listening.path)
    for step in 1...20 {
      let changes = watcher.connection.received("Changed").count
      // A file of its own, because polkit's monitor may combine two changes of one file.
      try listening.machine.addRules(named: "60-step-\(step)")
      try logind.process?.send("announce")
      _ = try watcher.connection.waitFor(changes + 1, "Changed")
      let count = listening.client.locations(from: listening.path).count
      try listening.machine.receiver.write(
        GGASentence(latitude: 52.516275 + Double(step) * 0.001, longitude: 13.377704))
      _ = try listening.client.locations(count + 1, from: listening.path)
    }
    #expect(listening.client.authorizations(of: listening.path) == before)
  }

  @Test func `access ends if logind announces a change and does not answer`() throws {
    let logind = Kept()
    let listening = try Listening { logind.process = try $0.startLogind() }
    try logind.process?.send("hang")
    try logind.process?.send("state online")
    try listening.waitFor("not-determined undecided")
    try listening.expectNoDelivery()
    try logind.process?.send("answer")
    try listening.waitFor("denied session-inactive")
    try logind.process?.send("state active")
    try listening.waitFor("authorized-when-in-use ")
  }

  @Test func `access ends if polkit announces a change and does not answer`() throws {
    let listening = try Listening()
    listening.machine.polkit?.signal(SIGSTOP)
    try listening.machine.setPolicy(.no)
    // A second announcement by polkit is not needed, because the end of a session also requires a check.
    let logind = try listening.machine.startLogind()
    // The call to polkit fails after 25 s.
    try listening.waitFor("not-determined undecided", within: .seconds(20))
    try listening.expectNothing()
    listening.machine.polkit?.signal(SIGCONT)
    try listening.waitFor("restricted disallowed-by-policy")
    withExtendedLifetime(logind) {}
  }

  /// Regression: the closed object no longer learned that access was lost, and the reply contained its last location.
  @Test func `a read that waits for a check fails if its subscription is closed meanwhile`() throws {
    let listening = try Listening()
    let (client, path) = (listening.client, listening.path)
    try listening.agent.setLevelSilently(0)
    listening.agent.signal(SIGSTOP)
    // GeoClue's exit makes the service ask the agent again.
    listening.machine.killGeoClue()
    let read = try client.connection.begin(
      "Get", of: busProperties, at: path, signature: "ss", [.string(Service.subscription), "Location"])
    _ = try client.connection.call("Close", of: Service.subscription, at: path)
    #expect(client.connection.answerSoFar(to: read) == nil)
    listening.agent.signal(SIGCONT)
    #expect(try client.connection.answer(to: read).errorName == "org.freedesktop.DBus.Error.UnknownObject")
  }

  /// GeoClue refuses the service only after GeoClue's next start, and only when the service calls it.
  @Test func `when GeoClue's configuration forbids the service, its clients lose access`() throws {
    let listening = try Listening()
    try listening.machine.setGeoClueRules("[org.geopublicist.Location1]\nallowed=false\nsystem=false\nusers=\n")
    try listening.waitFor("restricted disallowed-by-configuration")
    try listening.machine.setGeoClueRules("")
    try listening.waitFor("authorized-when-in-use ")
  }

  @Test func `a changed GeoClue configuration affects clients that make no calls`() throws {
    let listening = try Listening(.yes, ["desktop-id": .variant("s", "org.example.Silent")])
    let forbidden = "[org.example.Silent]\nallowed=false\nsystem=false\nusers=\n"
    try listening.machine.setGeoClueRules(forbidden)
    try listening.waitFor("restricted disallowed-by-configuration")
    try listening.machine.setGeoClueRules("[broken\nallowed=true\n")
    try listening.expectNothing()
    try listening.waitFor("restricted disallowed-by-configuration")
    try listening.machine.setGeoClueRules("")
    try listening.waitFor("authorized-when-in-use ")
  }

  /// An object that a closure creates and a test retains.
  private final class Kept {
    var process: ChildProcess?
  }
}

/// Without another source, coarse locations come from a receiver, the finest source. GeoClue itself must behave in the
/// same way.
@Suite(.serialized, .enabled(if: ControlGroups.areAvailable, "needs other users and separate control groups"))
struct GatekeeperLevelTests {
  private let user = GatekeeperFixture.user

  @Test(arguments: [(8, true), (4, false)])
  func `a client at city level is served by a receiver if the agent permits that`(_ level: Int, _ isServed: Bool) throws
  {
    let machine = try GatekeeperFixture(.yes)
    try machine.agent(of: user, level: level)
    let client = try machine.client(as: user)
    let oracle = try BusClient(at: machine.bus.address, as: user)
    try oracle.match("type='signal',sender='\(geoClueName)',member='LocationUpdated'")
    #expect(try oracle.startGeoClueClient().answer == .reply([]))
    let path = try client.subscribeAndStart(["accuracy": .variant("s", "city")])
    // The timeout bounds the wait for a refused client: three times as long as the service waits for a coarser source.
    let timeout = JSON.variant("u", isServed ? 60_000 : 6_000)
    let call = try client.begin("GetLocation", ["accuracy": .variant("s", "city"), "timeout": timeout])
    try eventually("the call is answered", within: .seconds(90)) {
      // GeoClue opens the receiver only for a client that it serves.
      machine.receiver.offer(.berlin)
      return client.connection.answerSoFar(to: call) != nil
        && (!isServed || oracle.received("LocationUpdated").count > 0 && !client.locations(from: path).isEmpty)
    }
    #expect(try client.connection.answer(to: call).errorName == (isServed ? nil : "\(Service.name).Error.Timeout"))
    #expect(client.locations(from: path).isEmpty != isServed)
    #expect(oracle.received("LocationUpdated").isEmpty != isServed)
    for location in client.locations(from: path) { #expect(location["Level"]?.string == "city") }
  }
}
