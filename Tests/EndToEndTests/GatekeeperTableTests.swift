// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// Everybody who could ask × everything that could be said of them × every member of the interface, against the real
/// bus, polkit and GeoClue; and GeoClue asked by the same user is the oracle: nobody gets more through us.
@Suite(.serialized, .enabled(if: ControlGroups.areAvailable, "acts as other users, in control groups of its own"))
struct GatekeeperTableTests {
  typealias Policy = GatekeeperMachine.Policy

  /// Who asks, and what is so.
  struct Row: CustomStringConvertible {
    let policy: Policy
    let user: uid_t
    /// What the user's agent allows; nil if there is none.
    let agent: Int?
    let program: GatekeeperMachine.Program
    let housing: ControlGroups.Housing

    var description: String {
      "policy \(policy), user \(user), agent \(agent.map(String.init) ?? "none"), \(program), \(housing)"
    }

    /// What the contract says that comes of it.
    var expected: (status: String, reason: String) {
      if housing != .host { return ("restricted", "sandboxed") }
      if program.isForbidden(to: user) { return ("restricted", "disallowed-by-configuration") }
      if user == 0 || user == GatekeeperMachine.owner { return ("authorized-always", "") }
      if policy == .absent { return ("restricted", "policy-unavailable") }
      if user == GatekeeperMachine.named { return ("authorized-always", "") }
      if policy == .no { return ("restricted", "disallowed-by-policy") }
      guard let agent else { return ("not-determined", "no-agent") }
      if agent == 0 { return ("denied", "disabled-by-user") }
      if policy == .asks { return ("not-determined", "authorization-required") }
      return ("authorized-when-in-use", level == "exact" ? "" : "reduced-accuracy")
    }

    var isAuthorized: Bool { expected.status.hasPrefix("authorized") }

    /// The finest level that is revealed to whoever asks for all.
    var level: String {
      if user == 0 || user == GatekeeperMachine.owner || user == GatekeeperMachine.named { return "exact" }
      return policy == .reduced || agent == 4 ? "city" : "exact"
    }
  }

  @Test(arguments: Policy.allCases)
  func `every user gets the status of the contract`(_ policy: Policy) throws {
    let machine = try GatekeeperMachine(policy)
    let spy = try BusClient(at: machine.bus.address, as: 3)
    try spy.match("")
    // Root listens, so that there is a fix, and one that is finer than many may have.
    let root = try machine.consumer(as: 0)
    let path = try root.subscribeAndStart()
    try machine.receiver.write(.berlin)
    _ = try root.locations(1, from: path)

    var consumers: [ControlGroups.Housing: [uid_t: ConsumerProgram]] = [:]
    let users = [
      0, GatekeeperMachine.owner, GatekeeperMachine.named, GatekeeperMachine.nobody, GatekeeperMachine.person,
    ]
    for housing in housings(policy) {
      for user in users { consumers[housing, default: [:]][user] = try machine.consumer(as: user, in: housing) }
    }
    let members = try Members(root, subscription: path)

    func check(_ user: uid_t, agent: Int?) throws {
      for housing in housings(policy) {
        for program in GatekeeperMachine.Program.allCases where housing == .host || program == .silent {
          let row = Row(policy: policy, user: user, agent: agent, program: program, housing: housing)
          let consumer = try #require(consumers[housing]?[user])
          try RowCheck(row, consumer).checkAll(members)
          if housing == .host { try ask(machine, row) }
        }
      }
    }
    for user in users { try check(user, agent: nil) }
    let person = try #require(consumers[.host]?[GatekeeperMachine.person])
    let agent = try machine.agent(of: GatekeeperMachine.person)
    for level in [8, 4, 0] {
      try agent.setLevel(level)
      let row = Row(policy: policy, user: GatekeeperMachine.person, agent: level, program: .silent, housing: .host)
      try person.waitFor("AuthorizationReason", .string(row.expected.reason))
      try check(GatekeeperMachine.person, agent: level)
    }
    agent.kill()
    let row = Row(policy: policy, user: GatekeeperMachine.person, agent: nil, program: .silent, housing: .host)
    try person.waitFor("AuthorizationReason", .string(row.expected.reason))

    try root.client.emit("Last", of: "org.example.Test", at: "/org/example/Test")
    _ = try spy.waitFor(1, "Last")
    for signal in spy.received {
      #expect(signal.interface != Daemon.subscription, "\(signal.text)")
      for secret in ["subscription/", "52.5162", "13.3777", "Latitude", "Longitude"] {
        #expect(!signal.text.contains(secret), "\(signal.text)")
      }
    }
    // More digits than the times in it have.
    for secret in ["52.5162", "13.3777"] { #expect(!machine.daemon.standardError.contains(secret)) }
  }

  /// Both kinds of sandboxes once, and one of them with every policy.
  private func housings(_ policy: Policy) -> [ControlGroups.Housing] {
    switch policy {
    case .yes: ControlGroups.Housing.allCases
    case .asks, .absent: [.host, .flatpak]
    case .no, .reduced: [.host, .snap]
    }
  }

  /// Asks GeoClue itself, as the same user: whoever it refuses must have got nothing from us.
  private func ask(_ machine: GatekeeperMachine, _ row: Row) throws {
    guard row.isAuthorized, row.user != 0, row.user != GatekeeperMachine.named else { return }
    let client = try BusClient(at: machine.bus.address, as: row.user)
    let answer = try client.startGeoClueClient(desktopID: row.program.rawValue).answer
    #expect(answer == .reply([]), "GeoClue refuses what we have granted: \(row)")
    client.kill()
  }
}

/// The members of both interfaces, as the running daemon describes them.
struct Members {
  let manager: [String]
  let subscription: [String]

  init(_ consumer: ConsumerProgram, subscription path: String) throws {
    func names(_ path: String, _ interface: String) throws -> [String] {
      let xml =
        try consumer.client.reply("Introspect", of: "org.freedesktop.DBus.Introspectable", at: path)[0].string ?? ""
      let body = xml.components(separatedBy: "<interface name=\"\(interface)\">").last ?? ""
      let own = body.components(separatedBy: "</interface>").first ?? ""
      return own.matches(of: #/<(?:method|property) name="([^"]*)"/#).map { String($0.1) }
    }
    manager = try names(Daemon.path, Daemon.name)
    subscription = try names(path, Daemon.subscription)
  }
}
