// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

@Suite(.serialized, .enabled(if: ControlGroups.areAvailable, "needs other users and separate control groups"))
struct GatekeeperChangeTests {
  private let user = GatekeeperFixture.user

  /// AccessDamper's tests check the times, which a busy machine would lengthen here.
  @Test func `turning location off ends deliveries, and turning it on restores them`() throws {
    let listening = try Listening()
    try listening.agent.setLevel(0)
    try listening.waitFor("denied disabled-by-user")
    try listening.expectNothing()
    try listening.agent.setLevel(8)
    try listening.waitFor("authorized-when-in-use ")
    let next = GGASentence(latitude: 52.718, longitude: 13.579)
    try listening.machine.receiver.write(next)
    try listening.client.waitFor(next, from: listening.path)
  }

  @Test func `when the agent lowers its level, a running subscription receives reduced locations`() throws {
    let listening = try Listening()
    let (agent, client, path) = (listening.agent, listening.client, listening.path)
    try agent.setLevel(4)
    try listening.waitFor("authorized-when-in-use reduced-accuracy")
    try eventually("a reduced location arrives") { client.locations(from: path).last?["Level"]?.string == "city" }
    let reduced = try #require(client.locations(from: path).last)
    #expect(deviation(of: reduced, from: .berlin) > 1e-3)
    #expect(try client.property("Location", of: path)["Level"]?.string == "city", "the finer location is removed")
    let values = try client.location(["maximum-age": .variant("u", 3_600_000)]).arguments()
    #expect(values[0]["Level"]?.string == "city" && deviation(of: values[0], from: .berlin) > 1e-3)
    try agent.setLevel(8)
    try eventually("a precise location arrives") { client.locations(from: path).last?["Level"]?.string == "exact" }
  }

  /// The command's own agent passes through 0 when it lowers the level, because GeoClue 2.8 needs that.
  @Test func `when the command's agent lowers the level, no client is refused in between`() throws {
    let (machine, folder) = (try GatekeeperFixture(.yes), TemporaryDirectory())
    chown(folder.path, user, user)
    let environment = ["XDG_CONFIG_HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "PATH": "/usr/bin:/bin"]
    let command = [Rig.product("geopublicist"), "--address", machine.bus.address]
    func turn(_ level: String) throws {
      _ = try run(command + ["switch", level], environment: environment, as: user)
    }
    try turn("on")
    let agent = try ChildProcess(command + ["agent"], environment: environment, as: user)
    let client = try machine.client(as: user)
    let path = try client.subscribeAndStart()
    try client.waitForAuthorization("authorized-when-in-use ", of: path, within: .seconds(20))
    let told = client.authorizations(of: path).count
    try turn("city")
    try client.waitForAuthorization("authorized-when-in-use reduced-accuracy", of: path, within: .seconds(20))
    try turn("on")
    try client.waitForAuthorization("authorized-when-in-use ", of: path, within: .seconds(20))
    #expect(client.authorizations(of: path).count == told + 2, "\(client.authorizations(of: path))")
    #expect(agent.exited == nil)
  }

  @Test func `deliveries end when the agent exits and resume with a new agent`() throws {
    let listening = try Listening()
    listening.agent.kill()
    try listening.waitFor("not-determined no-agent")
    try listening.expectNothing()
    try listening.machine.agent(of: user)
    try listening.waitFor("authorized-when-in-use ")
  }

  @Test func `only the user's own agents decide, and the strictest one counts`() throws {
    let machine = try GatekeeperFixture(.yes)
    try machine.agent(of: GatekeeperFixture.nobody)
    let client = try machine.client(as: user)
    #expect(try client.property("AuthorizationReason") == "no-agent", "another user's agent decides nothing")
    try machine.agent(of: user, level: 8)
    try client.waitFor("AuthorizationReason", "")
    let second = try machine.agent(of: user, level: 0)
    let newcomer = try machine.client(as: user)
    // Of two agents the stricter one counts.
    try newcomer.waitFor("AuthorizationReason", "disabled-by-user")
    second.kill()
    try newcomer.waitFor("AuthorizationReason", "")
  }

  @Test func `programs that do not answer do not prevent the search from finding the agent`() throws {
    let machine = try GatekeeperFixture(.yes)
    // These connections never answer the question whether they are agents.
    let silent = try (0..<3).map { _ in try BusClient(at: machine.bus.address, as: user) }
    for client in silent { client.suspend(true) }
    let client = try machine.client(as: user)
    let path = try client.subscribeAndStart()
    try eventually("it is undecided") { client.authorizations(of: path).contains("not-determined undecided") }
    try machine.agent(of: user)
    try client.waitForAuthorization("authorized-when-in-use ", of: path)
    for client in silent { client.suspend(false) }
  }

  @Test func `no-agent is not reported while an agent may still be starting`() throws {
    let machine = try GatekeeperFixture(.yes)
    let client = try machine.client(as: user)
    // An agent may start within 30 s.
    let logind = try machine.startLogind(age: 20)
    defer { logind.kill() }
    #expect(try client.property("AuthorizationReason") == "undecided")
    try client.waitFor("AuthorizationReason", "no-agent", within: .seconds(20))
  }

  @Test func `a subscription receives its authorization once, after Start`() throws {
    let machine = try GatekeeperFixture(.yes)
    try machine.agent(of: user)
    let client = try machine.client(as: user)
    let path = try client.subscribe()
    try client.waitFor("AuthorizationReason", "")
    try always("nothing is reported before Start", for: .milliseconds(300)) { client.authorizations(of: path).isEmpty }
    try client.tell(path, "Start")
    try machine.receiver.write(.berlin)
    _ = try client.locations(1, from: path)
    #expect(client.authorizations(of: path) == ["authorized-when-in-use "])
  }

  @Test func `a rule of the administrator revokes and restores access`() throws {
    let listening = try Listening()
    let machine = listening.machine
    try machine.setPolicy(.no)
    try listening.waitFor("restricted disallowed-by-policy")
    try listening.expectNothing()
    try machine.setPolicy(.reduced)
    try listening.waitFor("authorized-when-in-use reduced-accuracy")
    try machine.setPolicy(.yes)
    try listening.waitFor("authorized-when-in-use ")
    #expect(!machine.service.standardError.contains("CRITICAL"))
    let log = machine.service.standardError
    for event in ["grant: location", "revocation: location"] { #expect(log.contains(event)) }
    #expect(log.contains("user 5") && log.contains("reason disallowed-by-policy"))
  }

  @Test func `deliveries end when polkit exits and resume when it is back`() throws {
    let listening = try Listening()
    let machine = listening.machine
    machine.polkit?.kill()
    try listening.waitFor("restricted policy-unavailable")
    try listening.expectNothing()
    try machine.startPolkit()
    try listening.waitFor("authorized-when-in-use ")
  }

  @Test func `if polkit exits, calls that wait for it are answered as if polkit were missing`() throws {
    let machine = try GatekeeperFixture(.yes)
    try machine.agent(of: user)
    let clients = try (0..<4).map { _ in try machine.client(as: user) }
    machine.polkit?.signal(SIGSTOP)
    let path = try clients[3].subscribe()
    let calls = [
      try clients[0].begin("GetLocation"), try clients[1].begin("RequestAuthorization"),
      try clients[2].connection.begin(
        "Get", of: busProperties, at: Service.path, signature: "ss", [.string(Service.name), "AuthorizationReason"]),
      try clients[3].connection.begin("Start", of: Service.subscription, at: path),
    ]
    try always("nothing is answered without polkit", for: .milliseconds(600)) {
      zip(clients, calls).allSatisfy { $0.connection.answerSoFar(to: $1) == nil }
    }
    machine.polkit?.kill()
    let answers = try zip(clients, calls).map { try $0.connection.answer(to: $1) }
    #expect(answers[0].errorName == "\(Service.name).Error.NotAuthorized")
    #expect(answers[1] == .reply(["restricted", "policy-unavailable"]))
    #expect(answers[2] == .reply([.variant("s", "policy-unavailable")]))
    #expect(answers[3].errorName == "\(Service.name).Error.NotAuthorized")
  }

  @Test func `a polkit that never answers leaves access undecided`() throws {
    let machine = try GatekeeperFixture(.yes)
    try machine.agent(of: user)
    let client = try machine.client(as: user)
    machine.polkit?.signal(SIGSTOP)
    let request = try client.begin("RequestAuthorization")
    let impatient = try client.begin("GetLocation", ["timeout": .variant("u", 500)])
    #expect(try client.connection.answer(to: request) == .reply(["not-determined", "undecided"]))
    #expect(try client.connection.answer(to: impatient).errorName == "\(Service.name).Error.NotAuthorized")
    // Other clients, for whom no program must be asked, do not wait.
    #expect(try machine.client(as: 0).property("AuthorizationStatus") == "authorized-always")
    machine.polkit?.signal(SIGCONT)
    try client.waitFor("AuthorizationStatus", "authorized-when-in-use")
  }

  // MARK: Dialogs

  @Test func `a dialog is shown only if the call permits it and a polkit agent is running`() throws {
    let machine = try GatekeeperFixture(.asks)
    try machine.agent(of: user)
    let client = try machine.client(as: user)
    let path = try client.subscribeAndStart()
    try client.waitForAuthorization("not-determined authorization-required", of: path)
    let unasked = try client.requestAuthorization(interactive: true)
    #expect(unasked == .reply(["not-determined", "authorization-required"]), "no polkit agent runs")
    let dialogs = try DialogAgent(machine.bus, for: client)
    let forbidden = try client.requestAuthorization()
    #expect(forbidden.errorName == "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired")
    let call = try client.begin("GetLocation", ["timeout": .variant("u", 300)], interactive: true)
    let refused = try client.connection.answer(to: call)
    #expect(refused.errorName == "\(Service.name).Error.NotAuthorized")
    #expect(dialogs.asked.isEmpty, "no other method asks")

    func request(_ options: JSON = [:]) throws -> Int64 {
      try client.begin("RequestAuthorization", options, interactive: true)
    }
    let first = try request()
    try eventually("the user is asked") { dialogs.asked.count == 1 }
    let second = try request()
    #expect(try client.connection.answer(to: second).errorName == "\(Service.name).Error.LimitsExceeded")
    #expect(client.connection.answerSoFar(to: first) == nil)
    try dialogs.answer("no")
    #expect(try client.connection.answer(to: first) == .reply(["denied", "rejected-by-agent"]))
    #expect(
      client.authorizations(of: path).last == "not-determined authorization-required",
      "a refusal applies only to this request")

    let third = try request(["accuracy": .variant("s", "city")])
    try eventually("the user is asked again") { dialogs.asked.count == 2 }
    try dialogs.answer("yes")
    #expect(try client.connection.answer(to: third) == .reply(["authorized-when-in-use", ""]))
    let actions = ["org.geopublicist.location1.access-precise", "org.geopublicist.location1.access"]
    #expect(dialogs.asked == actions, "no more than is needed")
    #expect(dialogs.texts.allSatisfy { $0.contains("let the program “python3”") }, "\(dialogs.texts)")
    try client.waitForAuthorization("authorized-when-in-use reduced-accuracy", of: path)
    try machine.receiver.write(.berlin)
    #expect(try client.locations(1, from: path)[0]["Level"]?.string == "city")

    let other = try machine.client(as: user)
    #expect(
      try other.property("AuthorizationReason") == "authorization-required", "the permission applies to one connection")
  }

  @Test func `a dialog is withdrawn when its client disconnects`() throws {
    let asking = try Asking()
    asking.client.connection.kill()
    try eventually("the dialog is withdrawn") { asking.dialogs.isCancelled }
  }

  // MARK: The session deployment

  @Test func `a sandboxed client is also refused in the session deployment`() throws {
    let machine = try ServiceFixture(.session, agentLevel: 8)
    let groups = ControlGroups()
    let client = try machine.client()
    try groups.put(client.connection.processIdentifier, in: .flatpak)
    #expect(try client.property("AuthorizationReason") == "sandboxed")
    #expect(try client.location().errorMessage?.contains("org.freedesktop.portal.Location") == true)
    #expect(try machine.geoclue.clients().isEmpty)
  }

  /// The reuse of the id is visible only if the bus reports which process opened the connection.
  @Test func `a reused process id does not grant access if the bus identifies the process`() throws {
    let machine = try GatekeeperFixture(.yes)
    try machine.agent(of: GatekeeperFixture.user)
    let attack = try ChildProcess(
      [Rig.python, Rig.file("reused-process.py"), machine.bus.address, "\(GatekeeperFixture.user)"])
    try eventually("it has asked", seen: attack.standardError) { attack.standardOutput.hasSuffix("\n") }
    let answer = attack.standardOutput.split(whereSeparator: \.isWhitespace)
    let isTold = answer.last == "True"
    #expect(answer.first == (isTold ? "restricted" : "authorized-when-in-use"))
    if isTold { #expect(answer[1] == "sandboxed") }
  }

  @Test func `the service leaves no core dump`() throws {
    let machine = try ServiceFixture(.system)
    let limits = try String(contentsOfFile: "/proc/\(machine.service.processIdentifier)/limits", encoding: .utf8)
    let core = try #require(limits.components(separatedBy: "\n").first { $0.hasPrefix("Max core file size") })
    #expect(core.split(separator: " ").filter { $0 == "0" }.count == 2, "\(core)")
    machine.service.signal(SIGABRT)
    #expect(try machine.service.waitForExit() == .signal(SIGABRT), "a crash ends the process")
  }
}

/// A client whose user is being asked for permission in a dialog.
struct Asking {
  let machine: GatekeeperFixture
  let client: ServiceClient
  let dialogs: DialogAgent
  let request: Int64

  init() throws {
    machine = try GatekeeperFixture(.asks)
    try machine.agent(of: GatekeeperFixture.user)
    client = try machine.client(as: GatekeeperFixture.user)
    dialogs = try DialogAgent(machine.bus, for: client)
    request = try client.begin("RequestAuthorization", interactive: true)
    try eventually("the user is asked") { [dialogs] in dialogs.asked.count == 1 }
  }
}

/// A polkit agent for one program, which answers on command.
final class DialogAgent {
  private let process: ChildProcess
  private var lines: [String] = []

  init(_ bus: PrivateBus, for client: ServiceClient) throws {
    process = try ChildProcess([
      Rig.python, Rig.file("polkit-agent.py"), bus.address, "\(client.connection.processIdentifier)",
      "\(GatekeeperFixture.user)",
    ])
    try eventually("polkit accepts the agent", seen: process.standardError) { read().contains("registered") }
  }

  var asked: [String] { read().filter { $0.hasPrefix("asked ") }.map { String($0.dropFirst("asked ".count)) } }

  var texts: [String] { read().filter { $0.hasPrefix("text ") } }

  var isCancelled: Bool { read().contains("cancelled") }

  func answer(_ word: String) throws { try process.send(word) }

  private func read() -> [String] {
    lines += process.newLines()
    return lines
  }
}
