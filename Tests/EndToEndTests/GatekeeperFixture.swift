// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// The system deployment with all programs that its gatekeeper asks: the real polkit with the test's rules, the real
/// GeoClue with the test's configuration, and agents of several users. Needs root.
final class GatekeeperFixture {
  /// The results of polkit's rules for `access` and `access-precise`, for all users.
  enum Policy: String, CaseIterable {
    case yes, reduced, no, asks
    /// polkit is not running.
    case absent
  }

  static let owner: uid_t = 1
  static let user: uid_t = 5
  /// The user whom polkit's rules allow `access-without-agent`: lp.
  static let named: uid_t = 7
  static let nobody: uid_t = 65534

  let bus: PrivateBus
  let receiver = NMEAServer()
  private let folder = TemporaryDirectory()
  private(set) var polkit: ChildProcess?
  private var agents: [DesktopAgent] = []
  private var geoclue: ChildProcess
  let service: ChildProcess
  private let groups = ControlGroups()
  private let configured: String

  init(_ policy: Policy, broker: PrivateBus.Broker = .chosen) throws {
    try Self.users.write(toFile: folder.file("passwd"), atomically: true, encoding: .utf8)
    try "\(Self.user):100000:65536\n".write(toFile: folder.file("subuid"), atomically: true, encoding: .utf8)
    bus = try PrivateBus(.system, broker: broker, owner: Self.owner, users: folder.file("passwd"))
    for name in ["actions", "rules", "geoclue", "state"] {
      try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
    }
    chown(folder.file("state"), Self.owner, Self.owner)
    let actions = try String(
      contentsOfFile: Rig.sourceFile("packaging/polkit/org.geopublicist.location1.policy"), encoding: .utf8)
    try actions.replacingOccurrences(of: "unix-user:geopublicist", with: "unix-user:\(Self.owner)")
      .write(toFile: folder.file("actions/test.policy"), atomically: true, encoding: .utf8)
    try Self.configuration.write(toFile: folder.file("geoclue/geoclue.conf"), atomically: true, encoding: .utf8)
    let rates = ["calls-burst", "calls-per-second", "calls-per-second-per-user"].map { "\($0)=1000000\n" }.joined()
    try "[Service]\nidle-timeout=0\n[Limits]\n\(rates)"
      .write(toFile: folder.file("service.conf"), atomically: true, encoding: .utf8)
    let mounts = Rig.file("with-mounts.sh")
    configured = "\(folder.file("geoclue"))=/etc/geoclue"
    geoclue = try ChildProcess([mounts, configured, "--", Rig.file("geoclue.sh"), bus.address, receiver.path])
    service = try ChildProcess(
      [
        mounts, configured, "\(folder.file("subuid"))=/etc/subuid", "--", "setpriv", "--reuid=\(Self.owner)",
        "--regid=\(Self.owner)", "--clear-groups",
        "--pdeathsig=KILL", "--", Rig.product("geopublicistd"), "--system", "--address", bus.address,
        "--geoclue-address", bus.address, "--config", folder.file("service.conf"), "--verbose",
      ], environment: ["DBUS_FATAL_WARNINGS": "1", "STATE_DIRECTORY": folder.file("state"), "XDG_DATA_DIRS": Rig.data])
    try setPolicy(policy)
    if policy != .absent { try startPolkit() }
    try waitForOwner(of: geoClueName, on: bus, by: geoclue)
    try waitForOwner(of: Service.name, on: bus, by: service)
  }

  /// The machine's users and some of the user's subordinate ones, because dbus-daemon admits only listed users.
  private static var users: String {
    get throws {
      let subordinates = (100_000..<100_300).map { "sub\($0):x:\($0):65534::/:/bin/false\n" }
      return try String(contentsOfFile: "/etc/passwd", encoding: .utf8) + subordinates.joined()
    }
  }

  func startPolkit() throws {
    let polkit = try ChildProcess(
      [
        Rig.file("with-mounts.sh"), "\(folder.file("actions"))=/usr/share/polkit-1/actions",
        "\(folder.file("rules"))=/etc/polkit-1/rules.d", "--", Rig.file("polkitd.sh"),
      ], environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
    self.polkit = polkit
    try waitForOwner(of: "org.freedesktop.PolicyKit1", on: bus, by: polkit)
  }

  /// The names of the files that the service keeps.
  var remembered: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.file("state"))) ?? [] }

  func killGeoClue() { geoclue.kill() }

  func startGeoClue() throws {
    geoclue = try ChildProcess(
      [Rig.file("with-mounts.sh"), configured, "--", Rig.file("geoclue.sh"), bus.address, receiver.path])
    try waitForOwner(of: geoClueName, on: bus, by: geoclue)
  }

  func setGeoClueRules(_ more: String) throws {
    try (Self.configuration + more).write(
      toFile: folder.file("geoclue/geoclue.conf"), atomically: true, encoding: .utf8)
  }

  /// A logind in which the user has an active session of the given age in seconds.
  func startLogind(age: Int = 3_600) throws -> ChildProcess {
    let logind = try ChildProcess(
      [Rig.python, Rig.file("logind.py"), bus.address, "\(Self.user)", "active", "\(age)"])
    try waitForOwner(of: "org.freedesktop.login1", on: bus, by: logind)
    return logind
  }

  /// Changes polkit's rules, which polkit notices automatically.
  func setPolicy(_ policy: Policy) throws {
    let precise = ["yes": "YES", "reduced": "NO", "no": "NO", "asks": "AUTH_SELF", "absent": "YES"][policy.rawValue]!
    let reduced = policy == .reduced ? "YES" : precise
    let rules = """
      polkit.addRule(function(action, subject) {
        if (action.id == "org.geopublicist.location1.access-precise") return polkit.Result.\(precise);
        if (action.id == "org.geopublicist.location1.access") return polkit.Result.\(reduced);
        if (action.id == "org.geopublicist.location1.access-without-agent" && subject.user == "lp")
          return polkit.Result.YES;
      });
      """
    try rules.write(toFile: folder.file("rules/50-test.rules"), atomically: true, encoding: .utf8)
  }

  /// Adds a file of rules that changes no result.
  func addRules(named name: String) throws {
    let rule = "polkit.log(\"\(name)\");\n"
    try rule.write(toFile: folder.file("rules/\(name).rules"), atomically: true, encoding: .utf8)
  }

  func client(as user: uid_t, in confinement: ControlGroups.Confinement = .host) throws -> ServiceClient {
    let client = try ServiceClient(on: bus, as: user)
    try groups.put(client.connection.processIdentifier, in: confinement)
    return client
  }

  /// Starts a user's agent, which runs as long as this fixture unless it is killed.
  @discardableResult
  func agent(of user: uid_t, level: Int = 8) throws -> DesktopAgent {
    let agent = try DesktopAgent(at: bus.address, as: user, level: level)
    agents.append(agent)
    return agent
  }

  /// Three programs: one without a rule, one that is forbidden, and one that is allowed for the user only.
  enum Program: String, CaseIterable {
    case silent = "org.example.Silent"
    case forbidden = "org.example.Forbidden"
    case personal = "org.example.Personal"

    func isForbidden(to user: uid_t) -> Bool {
      switch self {
      case .silent: false
      case .forbidden: true
      case .personal: user != GatekeeperFixture.user
      }
    }
  }

  private static let configuration = GeoClueSettings.offline(
    receiver: true,
    """
    [org.example.Forbidden]
    allowed=false
    system=false
    users=
    [org.example.Personal]
    allowed=true
    system=false
    users=5
    """)
}

/// Control groups that look like those of sandboxes.
final class ControlGroups {
  enum Confinement: String, CaseIterable {
    case host
    case flatpak = "app-flatpak-org.example.Test-1.scope"
    case snap = "snap.test.test-1.scope"
  }

  /// The hierarchy in which groups can be created: systemd's own (version 1), or the unified one (version 2).
  private nonisolated static var hierarchy: String? { hierarchies.first }
  private nonisolated static let hierarchies = [
    "/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified", "/sys/fs/cgroup",
  ].filter { FileManager.default.isWritableFile(atPath: "\($0)/cgroup.procs") }

  private var made: Set<String> = []

  nonisolated static var areAvailable: Bool {
    guard getuid() == 0, let hierarchy else { return false }
    let probe = "\(hierarchy)/geopublicist-probe-\(getpid())"
    defer { rmdir(probe) }
    return mkdir(probe, 0o755) == 0
  }

  func put(_ process: pid_t, in confinement: Confinement) throws {
    guard confinement != .host, let hierarchy = Self.hierarchy else { return }
    let group = "\(hierarchy)/\(confinement.rawValue)"
    made.insert(group)
    // Another test's process may remove the group while it is empty.
    try eventually("\(process) is in \(group)") {
      mkdir(group, 0o755)
      return (try? "\(process)".write(toFile: "\(group)/cgroup.procs", atomically: false, encoding: .utf8)) != nil
    }
  }

  /// A shell command that moves the shell into a session's group, named as logind does, in every hierarchy, because
  /// systemd does not document which one it uses.
  func commandToEnterSession() -> String {
    Self.hierarchies.map { hierarchy in
      let group = "\(hierarchy)/session-c9.scope"
      made.insert(group)
      return "until mkdir -p \(group) && echo $$ > \(group)/cgroup.procs; do :; done; "
    }.joined()
  }

  isolated deinit {
    // A group remains if another test still uses it.
    for group in made { rmdir(group) }
  }
}

/// A user's client with a subscription, on a separate machine.
struct Listening {
  let machine: GatekeeperFixture
  let agent: DesktopAgent
  let client: ServiceClient
  let path: String
  private let options: [String: JSON]

  /// Starts all programs, and waits until the client has a first location.
  init(
    _ policy: GatekeeperFixture.Policy = .yes, _ options: [String: JSON] = [:],
    before prepare: (GatekeeperFixture) throws -> Void = { _ in }
  ) throws {
    self.options = options
    machine = try GatekeeperFixture(policy)
    try prepare(machine)
    agent = try machine.agent(of: GatekeeperFixture.user)
    client = try machine.client(as: GatekeeperFixture.user)
    path = try client.subscribeAndStart(.object(options))
    try machine.receiver.write(.berlin)
    _ = try client.locations(1, from: path)
  }

  func waitFor(_ status: String, within limit: Duration = .seconds(10)) throws {
    try client.waitForAuthorization(status, of: path, within: limit)
  }

  /// Checks that root's subscription receives a location, and that this client's does not.
  func expectNoDelivery() throws {
    let before = client.locations(from: path).count
    let root = try machine.client(as: 0)
    let other = try root.subscribeAndStart()
    let place = GGASentence(latitude: 52.617, longitude: 13.478)
    try machine.receiver.write(place)
    try root.waitFor(place, from: other)
    // A reply arrives after all messages that were sent before it.
    _ = try client.property("Version")
    #expect(client.locations(from: path).count == before)
  }

  /// Checks that no location is delivered, stored in a property or returned by a call.
  func expectNothing() throws {
    #expect(try client.property("Location", of: path) == [:])
    #expect(try client.property("Active", of: path) == false)
    try expectNoDelivery()
    let asked: [String: JSON] = ["timeout": .variant("u", 200), "maximum-age": .variant("u", 3_600_000)]
    let answer = try client.location(.object(options.merging(asked) { $1 }))
    #expect(answer.errorName == "\(Service.name).Error.NotAuthorized")
    let received = client.connection.received.filter { $0.path == path }
    let lost = received.lastIndex { $0.member == "AuthorizationChanged" } ?? 0
    #expect(!received[lost...].contains { $0.member == "LocationUpdated" })
  }
}

extension ServiceClient {
  /// Waits until a subscription receives a status and, after a space, its reason.
  func waitForAuthorization(_ status: String, of path: String, within limit: Duration = .seconds(10)) throws {
    try eventually("it is \(status)", within: limit, seen: "\(authorizations(of: path))") {
      authorizations(of: path).last == status
    }
  }
}
