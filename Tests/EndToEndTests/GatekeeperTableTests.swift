// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// Every combination of caller and facts × every member of the interface, against the real
/// bus, polkit and GeoClue. GeoClue, called by the same user, is the oracle: no client receives more from the service.
@Suite(.serialized, .enabled(if: ControlGroups.areAvailable, "needs other users and separate control groups"))
struct GatekeeperTableTests {
  typealias Policy = GatekeeperFixture.Policy

  struct Row: CustomStringConvertible {
    let policy: Policy
    let user: uid_t
    /// The level that the user's agent allows; nil if there is no agent.
    let agent: Int?
    let program: GatekeeperFixture.Program
    let confinement: ControlGroups.Confinement

    var description: String {
      "policy \(policy), user \(user), agent \(agent.map(String.init) ?? "none"), \(program), \(confinement)"
    }

    var expected: (status: String, reason: String) {
      if confinement != .host { return ("restricted", "sandboxed") }
      if program.isForbidden(to: user) { return ("restricted", "disallowed-by-configuration") }
      if user == 0 || user == GatekeeperFixture.owner { return ("authorized-always", "") }
      if policy == .absent { return ("restricted", "policy-unavailable") }
      if user == GatekeeperFixture.named { return ("authorized-always", "") }
      if policy == .no { return ("restricted", "disallowed-by-policy") }
      guard let agent else { return ("not-determined", "no-agent") }
      if agent == 0 { return ("denied", "disabled-by-user") }
      if policy == .asks { return ("not-determined", "authorization-required") }
      return ("authorized-when-in-use", level == "exact" ? "" : "reduced-accuracy")
    }

    var isAuthorized: Bool { expected.status.hasPrefix("authorized") }

    /// The finest level that a client receives if it requests exact.
    var level: String {
      if user == 0 || user == GatekeeperFixture.owner || user == GatekeeperFixture.named { return "exact" }
      return policy == .reduced || agent == 4 ? "city" : "exact"
    }
  }

  @Test(arguments: Policy.allCases)
  func `every combination of user, sandbox and policy receives the documented status`(_ policy: Policy) throws {
    let machine = try GatekeeperFixture(policy)
    let spy = try BusClient(at: machine.bus.address, as: 3)
    try spy.match("")
    // Root subscribes, so that there is a fix, which is finer than many clients may receive.
    let root = try machine.client(as: 0)
    let path = try root.subscribeAndStart()
    try machine.receiver.write(.berlin)
    _ = try root.locations(1, from: path)

    var clients: [ControlGroups.Confinement: [uid_t: ServiceClient]] = [:]
    let users = [
      0, GatekeeperFixture.owner, GatekeeperFixture.named, GatekeeperFixture.nobody, GatekeeperFixture.user,
    ]
    for confinement in confinements(policy) {
      for user in users { clients[confinement, default: [:]][user] = try machine.client(as: user, in: confinement) }
    }
    let members = try Members(root, subscription: path)

    func check(_ user: uid_t, agent: Int?) throws {
      for confinement in confinements(policy) {
        for program in GatekeeperFixture.Program.allCases where confinement == .host || program == .silent {
          let row = Row(policy: policy, user: user, agent: agent, program: program, confinement: confinement)
          let client = try #require(clients[confinement]?[user])
          try RowCheck(row, client).checkAll(members)
          if confinement == .host { try ask(machine, row) }
        }
      }
    }
    for user in users { try check(user, agent: nil) }
    let user = try #require(clients[.host]?[GatekeeperFixture.user])
    let agent = try machine.agent(of: GatekeeperFixture.user)
    for level in [8, 4, 0] {
      try agent.setLevel(level)
      let row = Row(policy: policy, user: GatekeeperFixture.user, agent: level, program: .silent, confinement: .host)
      try user.waitFor("AuthorizationReason", .string(row.expected.reason))
      // Locations measured while the user had no access are not delivered.
      let count = root.locations(from: path).count
      try eventually("a newer location", turn: rest) {
        machine.receiver.offer(.berlin)
        return root.locations(from: path).count > count
      }
      try check(GatekeeperFixture.user, agent: level)
    }
    agent.kill()
    let row = Row(policy: policy, user: GatekeeperFixture.user, agent: nil, program: .silent, confinement: .host)
    try user.waitFor("AuthorizationReason", .string(row.expected.reason))

    try root.connection.emit("Last", of: "org.example.Test", at: "/org/example/Test")
    _ = try spy.waitFor(1, "Last")
    for signal in spy.received {
      #expect(signal.interface != Service.subscription, "\(signal.text)")
      for secret in ["subscription/", "52.5162", "13.3777", "Latitude", "Longitude"] {
        #expect(!signal.text.contains(secret), "\(signal.text)")
      }
    }
    // These coordinates have more digits than the times in the output.
    for secret in ["52.5162", "13.3777"] { #expect(!machine.service.standardError.contains(secret)) }
  }

  /// One row for each kind of sandbox, and one kind with every policy.
  private func confinements(_ policy: Policy) -> [ControlGroups.Confinement] {
    switch policy {
    case .yes: ControlGroups.Confinement.allCases
    case .asks, .absent: [.host, .flatpak]
    case .no, .reduced: [.host, .snap]
    }
  }

  /// Calls GeoClue itself as the same user. A client that it refuses must have received nothing from the service.
  private func ask(_ machine: GatekeeperFixture, _ row: Row) throws {
    guard row.isAuthorized, row.user != 0, row.user != GatekeeperFixture.named else { return }
    let client = try BusClient(at: machine.bus.address, as: row.user)
    let answer = try client.startGeoClueClient(desktopID: row.program.rawValue).answer
    #expect(answer == .reply([]), "GeoClue refuses access that the service granted: \(row)")
    client.kill()
  }
}

struct Members {
  let manager: [String]
  let subscription: [String]

  init(_ client: ServiceClient, subscription path: String) throws {
    func names(_ path: String, _ interface: String) throws -> [String] {
      let xml =
        try client.connection.reply("Introspect", of: "org.freedesktop.DBus.Introspectable", at: path)[0].string ?? ""
      let body = xml.components(separatedBy: "<interface name=\"\(interface)\">").last ?? ""
      let own = body.components(separatedBy: "</interface>").first ?? ""
      return own.matches(of: #/<(?:method|property) name="([^"]*)"/#).map { String($0.1) }
    }
    manager = try names(Service.path, Service.name)
    subscription = try names(path, Service.subscription)
  }
}

/// Calls each member of the interface as one client, and compares each result with the contract.
final class RowCheck {
  private let row: GatekeeperTableTests.Row
  private let client: ServiceClient
  private var path = ""

  init(_ row: GatekeeperTableTests.Row, _ client: ServiceClient) {
    self.row = row
    self.client = client
  }

  private typealias Check = (RowCheck) throws -> Void

  /// The test fails for a member that is missing here: a new one needs a row with the clients that may call it.
  private static let manager: [String: Check] = [
    "GetLocation": { try $0.getLocation() },
    "CreateSubscription": { _ in },  // Called below, before the members of the subscription.
    "CreateRegion": { try $0.region() },
    "GetAlmanac": { try $0.getAlmanac() },
    "CreateAlmanac": { try $0.almanac() },
    "RequestAuthorization": { try $0.requestAuthorization() },
    "ListSubscriptions": { check in
      for entry in try check.client.subscriptions() where check.row.user != 0 {
        #expect(entry["UserId"]?.integer == Int64(check.row.user), "\(check.row)")
      }
    },
    "AuthorizationStatus": { try $0.expect("AuthorizationStatus", .string($0.anonymous.expected.status)) },
    "AuthorizationReason": { try $0.expect("AuthorizationReason", .string($0.anonymous.expected.reason)) },
    "Version": { try $0.isOpen("Version") },
    "Limits": { try $0.isOpen("Limits") },
    "State": { try $0.isOpen("State") },
    "AuthorizationMessage": { try $0.hasMessage(for: $0.anonymous.expected.reason) },
    "StateMessage": { try $0.isOpen("StateMessage") },
    "StateReason": { try $0.isOpen("StateReason") },
    "AvailableAccuracy": { try $0.isOpen("AvailableAccuracy") },
    "InUse": { try $0.isOpen("InUse") },
  ]

  private static let subscription: [String: Check] = [
    "Start": { try $0.start() },
    "Stop": { _ in }, "Close": { _ in },  // Called at the end.
    "AuthorizationStatus": { try $0.expect("AuthorizationStatus", .string($0.row.expected.status), of: $0.path) },
    "AuthorizationReason": { try $0.expect("AuthorizationReason", .string($0.row.expected.reason), of: $0.path) },
    "AuthorizationMessage": { try $0.hasMessage(for: $0.row.expected.reason, of: $0.path) },
    "RequiredAccuracy": { try $0.expect("RequiredAccuracy", 0.0, of: $0.path) },
    "Active": { try $0.expect("Active", .bool($0.row.isAuthorized), of: $0.path) },
    "Location": { try $0.location() },
    "Accuracy": { try $0.expect("Accuracy", "exact", of: $0.path) },
    "DistanceThreshold": { try $0.expect("DistanceThreshold", 0.0, of: $0.path) },
    "TimeThreshold": { try $0.expect("TimeThreshold", 0, of: $0.path) },
    "Debounce": { try $0.expect("Debounce", 0, of: $0.path) },
  ]

  func checkAll(_ members: Members) throws {
    #expect(Set(members.manager) == Set(Self.manager.keys))
    #expect(Set(members.subscription) == Set(Self.subscription.keys))
    try expect("AuthorizationReason", .string(anonymous.expected.reason))
    for member in members.manager { try Self.manager[member]?(self) }
    path = try client.subscribe(["desktop-id": desktopID])
    try start()
    for member in members.subscription where member != "Start" { try Self.subscription[member]?(self) }
    try client.tell(path, "Stop")
    try client.tell(path, "Close")
  }

  /// The row of a client without a desktop id.
  private var anonymous: GatekeeperTableTests.Row {
    GatekeeperTableTests.Row(
      policy: row.policy, user: row.user, agent: row.agent, program: .silent, confinement: row.confinement)
  }

  private func isOpen(_ name: String) throws {
    let text = try client.property(name).line
    #expect(!text.contains("52.51") && !text.contains("13.37"))
  }

  private func expect(_ name: String, _ value: JSON, of path: String = Service.path) throws {
    // While the service searches for agents, the status is undecided.
    do { try client.waitFor(name, value, of: path) } catch { Issue.record("\(error): \(row)") }
  }

  private func hasMessage(for reason: String, of path: String = Service.path) throws {
    #expect((try client.property("AuthorizationMessage", of: path) == "") == (reason == ""), "\(row)")
  }

  private var desktopID: JSON { .variant("s", .string(row.program.rawValue)) }

  private func getLocation() throws {
    let answer = try client.location([
      "desktop-id": desktopID,
      "timeout": .variant("u", row.isAuthorized ? 5000 : 250),
      "maximum-age": .variant("u", 3_600_000),
    ])
    switch answer {
    case .reply(let values):
      #expect(row.isAuthorized, "GetLocation: \(row)")
      expectLocation(values[0])
    case .error(let name, let message):
      #expect(!row.isAuthorized, "GetLocation: \(row): \(message)")
      #expect(name == "\(Service.name).Error.NotAuthorized", "\(row)")
      if row.expected.reason == "sandboxed" { #expect(message.contains("org.freedesktop.portal.Location")) }
      #expect(!message.contains("\(row.user) ") && !message.contains("/"), "\(message)")
    }
  }

  private func requestAuthorization() throws {
    let answer = try client.requestAuthorization(["desktop-id": desktopID])
    if row.expected.reason == "authorization-required" {
      #expect(answer.errorName == "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", "\(row)")
    } else {
      #expect(answer == .reply([.string(row.expected.status), .string(row.expected.reason)]), "\(row)")
    }
  }

  private func start() throws {
    let answer = try client.connection.call("Start", of: Service.subscription, at: path)
    if row.expected.status == "restricted" {
      #expect(answer.errorName == "\(Service.name).Error.NotAuthorized", "\(row)")
      return
    }
    #expect(answer == .reply([]), "\(row)")
    if row.isAuthorized { expectLocation(try client.locations(1, from: path)[0]) }
    try client.waitForAuthorization("\(row.expected.status) \(row.expected.reason)", of: path)
  }

  private func region() throws {
    let path = try client.region(ServiceClient.circle(52.516, 13.377, ["desktop-id": desktopID]))
    let answer = try client.connection.call("Start", of: Service.region, at: path)
    if row.expected.status == "restricted" {
      #expect(answer.errorName == "\(Service.name).Error.NotAuthorized", "\(row)")
    } else {
      #expect(answer == .reply([]), "\(row)")
    }
    try client.tell(path, "Close")
  }

  private func getAlmanac() throws {
    let answer = try client.call(
      "GetAlmanac", signature: "a{sv}",
      [
        [
          "desktop-id": desktopID, "timeout": .variant("u", row.isAuthorized ? 5000 : 250),
          "maximum-age": .variant("u", 3_600_000),
        ]
      ])
    guard row.isAuthorized else {
      #expect(answer.errorName == "\(Service.name).Error.NotAuthorized", "\(row)")
      return
    }
    expectAlmanac(try answer.arguments()[0])
  }

  private func almanac() throws {
    let path = try client.almanac(["desktop-id": desktopID])
    let answer = try client.connection.call("Start", of: Service.almanac, at: path)
    #expect(
      (answer.errorName == "\(Service.name).Error.NotAuthorized") == (row.expected.status == "restricted"), "\(row)")
    if row.isAuthorized {
      expectAlmanac(try client.almanacs(1, from: path)[0])
    } else {
      #expect(try client.property("Almanac", of: path) == [:], "\(row)")
    }
    try client.tell(path, "Close")
  }

  private func expectAlmanac(_ almanac: JSON) {
    #expect(almanac["Phase"]?.content != nil && !almanac.line.contains("itude"), "\(row): \(almanac.line)")
  }

  private func location() throws {
    let location = try client.property("Location", of: path)
    if row.isAuthorized { expectLocation(location) } else { #expect(location == [:], "\(row)") }
  }

  private func expectLocation(_ location: JSON) {
    #expect(location["Level"]?.string == row.level, "\(row)")
    #expect(location["Reduced"]?.bool == (row.level != "exact"), "\(row)")
    if row.level == "exact" {
      #expect(deviation(of: location, from: .berlin) < 1e-6, "\(row)")
    } else {
      #expect(deviation(of: location, from: .berlin) > 1e-3, "\(row)")
      #expect((location["Accuracy"]?.number ?? 0) >= 15_000, "\(row)")
      for finer in ["Altitude", "Speed", "Heading", "Description"] { #expect(location[finer] == nil, "\(row)") }
    }
  }
}
