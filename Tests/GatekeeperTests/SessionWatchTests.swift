// SPDX-License-Identifier: Apache-2.0
import DBus
import Foundation
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import MainLoop
import Testing

@testable import GeopublicistGatekeeper

@Suite struct SessionWatchTests {
  /// A logind with many users, each with one session, on a separate connection.
  private final class Logind {
    final class User {
      unowned let logind: Logind
      let id: UInt32

      init(_ logind: Logind, _ id: UInt32) { (self.logind, self.id) = (logind, id) }
    }

    let connection: Connection
    var states: [UInt32: String] = [:]
    /// When the sessions with a display began.
    var begins: [UInt32: MonotonicInstant] = [:]
    /// The users about whom logind was asked.
    var asked: [UInt32] = []
    /// The calls that are not answered while logind is silent.
    var kept: [() -> Void] = []
    var isSilent = false
    var mostKept = 0
    private var objects: [(ExportedObject, User?)] = []

    init(_ bus: PrivateBus, users: Range<UInt32>) throws {
      connection = try Connection(to: .address(bus.address))
      try connection.own("org.freedesktop.login1")
      let manager = Interface<Logind>(
        "org.freedesktop.login1.Manager",
        [
          .method("GetUser", in: ["uid": "u"], out: ["path": "o"]) { logind, call in
            guard let user = call.arguments.first?.uint32 else { return }
            logind.asked.append(user)
            logind.answer { call.reply(.objectPath(Self.path("user", user))) }
          }
        ])
      let object = connection.objects.export("/org/freedesktop/login1", Implementation(of: manager, by: self))
      objects.append((object, nil))
      for id in users {
        states[id] = "active"
        let user = Interface<User>(
          "org.freedesktop.login1.User",
          [
            .property("State", "s", emits: .nothing) { .string($0.logind.states[$0.id] ?? "") },
            .property("Display", "(so)", emits: .nothing) { user in
              let path = user.logind.begins[user.id] == nil ? .root : Self.path("session", user.id)
              return .structure([.string("x"), .objectPath(path)])
            },
          ])
        let session = Interface<User>(
          "org.freedesktop.login1.Session",
          [
            .property("User", "(uo)", emits: .nothing) {
              .structure([.uint32($0.id), .objectPath(Self.path("user", $0.id))])
            },
            .property("TimestampMonotonic", "t", emits: .nothing) {
              .uint64(($0.logind.begins[$0.id] ?? .origin).microseconds)
            },
          ])
        for (kind, interface) in [("user", user), ("session", session)] {
          let owner = User(self, id)
          let object = connection.objects.export(Self.path(kind, id), Implementation(of: interface, by: owner))
          objects.append((object, owner))
        }
      }
    }

    static func path(_ kind: String, _ id: UInt32) -> ObjectPath {
      ObjectPath(validating: "/org/freedesktop/login1/\(kind)/_\(id)") ?? .root
    }

    private func answer(_ reply: @escaping () -> Void) {
      guard isSilent else { return reply() }
      kept.append(reply)
      mostKept = max(mostKept, kept.count)
    }

    func changeSession(of user: UInt32) {
      connection.send(
        Message(
          signal: "PropertiesChanged", of: .properties, at: Self.path("session", user),
          [
            .string("org.freedesktop.login1.Session"),
            .options([("Active", .boolean(states[user] == "active"))]), .strings([]),
          ]))
    }

    func announce(_ member: MemberName, _ first: Value, _ path: ObjectPath) {
      connection.send(
        Message(
          signal: member, of: "org.freedesktop.login1.Manager", at: "/org/freedesktop/login1",
          [first, .objectPath(path)]))
    }
  }

  private let bus: PrivateBus
  private let service: Connection

  init() throws {
    bus = try PrivateBus(.session)
    service = try Connection(to: .address(bus.address))
    service.unansweredCallLimit = 64
  }

  private func watch(_ users: Range<UInt32>, begins: [UInt32: MonotonicInstant] = [:]) throws -> (SessionWatch, Logind)
  {
    let logind = try Logind(bus, users: users)
    logind.begins = begins
    let watch = SessionWatch(on: service) { user, _ in .user(user) }
    for user in users { watch.find(user, for: AnswerGroup {}) }
    try turning("the session of each user is known") { users.allSatisfy { watch.state(of: $0) == .active } }
    return (watch, logind)
  }

  /// Regression: libdbus refused the 65th question of one turn, which counted as "no session".
  @Test(arguments: [100, 200] as [UInt32])
  func `changes at logind that concern many users do not interrupt their access`(count: UInt32) throws {
    let users = 1_000..<1_000 + count
    let (watch, logind) = try watch(users)
    var lost: Set<UInt32> = []
    watch.onChange = { user, _ in if watch.state(of: user) == .inactive { lost.insert(user) } }
    for _ in 0..<6 {
      watch.doubtAll()
      logind.announce("UserNew", .uint32(1), "/org/freedesktop/login1/user/_1")
      try turning("the session of each user is confirmed") { !users.contains { watch.isDoubtful($0) } }
    }
    #expect(lost.isEmpty && users.allSatisfy { watch.state(of: $0) == .active })
  }

  @Test func `at most 16 questions to logind are pending at a time`() throws {
    let (watch, logind) = try watch(1_000..<1_100)
    logind.isSilent = true
    watch.doubtAll()
    try turning("logind is asked") { logind.kept.count == 16 }
    // A missing answer does not mean that there is no session.
    try turning("the doubts have expired") { [1_000, 1_099].allSatisfy { watch.state(of: $0) == .unknown } }
    logind.isSilent = false
    for reply in logind.kept { reply() }
    try turning("all are known again") { (1_000..<1_100).allSatisfy { watch.state(of: $0) == .active } }
    #expect(logind.mostKept == 16)
  }

  @Test func `after a signal about one session, logind is asked only about its user`() throws {
    let (watch, logind) = try watch(1_000..<1_020)
    logind.announce("SessionNew", .string("x"), Logind.path("session", 1_007))
    logind.asked = []
    try turning("the user of a new session is asked about") { logind.asked == [1_007] }
    logind.asked = []
    logind.states[1_007] = "online"
    logind.changeSession(of: 1_007)
    try turning("a change of the session counts") { watch.state(of: 1_007) == .inactive }
    #expect(logind.asked == [1_007])
    logind.states[1_007] = "active"
    logind.announce("SessionRemoved", .string("x"), Logind.path("session", 1_007))
    try turning("the end of the session counts") { watch.state(of: 1_007) == .active }
    #expect(logind.asked == [1_007, 1_007])
    logind.states[1_011] = "closing"
    logind.announce("UserRemoved", .uint32(1_011), Logind.path("user", 1_011))
    try turning("the end of a user counts") { watch.state(of: 1_011) == .inactive }
    #expect(logind.asked == [1_007, 1_007, 1_011])
  }

  @Test func `an agent may still be starting for a while after its graphical session has begun`() throws {
    let now = MainLoop.main.clock.monotonic()
    let (watch, logind) = try watch(1_000..<1_003, begins: [1_000: now, 1_001: 1])
    #expect(watch.agentMayStart(of: 1_000) == now + SessionWatch.startingTime)
    for user in [1_001, 1_002] as [UInt32] { #expect(try #require(watch.agentMayStart(of: user)) < 31_000_000) }
    logind.begins[1_001] = now
    logind.announce("SessionNew", .string("x"), Logind.path("session", 1_001))
    try turning("a new session counts") { watch.agentMayStart(of: 1_001) == now + SessionWatch.startingTime }
    logind.states[1_001] = "online"
    logind.changeSession(of: 1_001)
    try turning("no client is left") { watch.agentMayStart(of: 1_001) == nil }
  }

  @Test func `after a signal about an unknown session, logind is asked about all users`() throws {
    let (watch, logind) = try watch(1_000..<1_020)
    logind.asked = []
    logind.states[1_003] = "online"
    logind.changeSession(of: 1_003)
    try turning("the change counts") { watch.state(of: 1_003) == .inactive }
    try turning("all users are confirmed") { !(1_000..<1_020).contains { watch.isDoubtful($0) } }
    logind.asked = []
    logind.states[1_003] = "active"
    logind.changeSession(of: 1_003)
    try turning("the next change counts") { watch.state(of: 1_003) == .active }
    #expect(logind.asked == [1_003], "its user is known by now")
  }

  /// A logind that is masked or fails must not count as one that is not installed.
  @Test(arguments: [true, false])
  func `a logind that fails to start is distinguished from one that is not installed`(isInstalled: Bool) throws {
    let folder = TemporaryDirectory()
    if isInstalled {
      try "[D-BUS Service]\nName=org.freedesktop.login1\nExec=/bin/false\n"
        .write(toFile: folder.file("login1.service"), atomically: true, encoding: .utf8)
    }
    let address = "unix:path=\(folder.file("bus"))"
    try """
    <busconfig><type>session</type><listen>\(address)</listen><servicedir>\(folder.path)</servicedir>
    <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/></policy></busconfig>
    """.write(toFile: folder.file("bus.conf"), atomically: true, encoding: .utf8)
    let process = try ChildProcess(
      ["dbus-daemon", "--config-file=\(folder.file("bus.conf"))", "--nofork", "--nopidfile"])
    defer { process.kill() }
    let connection = try eventual("the bus answers", seen: process.standardError) {
      try? Connection(to: .address(address))
    }
    let watch = SessionWatch(on: connection) { user, _ in .user(user) }
    var isKnown = false
    let round = AnswerGroup { isKnown = true }
    watch.find(1_000, for: round)
    round.allExpected()
    try turning("it is known") { isKnown }
    #expect(watch.state(of: 1_000) == (isInstalled ? .inactive : .untracked))
    #expect(watch.login(of: 1_000) == (isInstalled ? .absent : .untracked))
  }
}
