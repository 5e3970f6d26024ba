// SPDX-License-Identifier: Apache-2.0
import DBus
import Foundation
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Testing

@testable import GeopublicistGatekeeper

/// Answers about the test's own process, without having systemd's name.
private final class Systemd {
  /// The process in a session.
  static let row = Value.structure([
    .string("/user.slice/session-2.scope"), .uint32(UInt32(getpid())), .string("/usr/bin/test"),
  ])

  /// The last element of the unit's object path.
  var unit = "session_2d2_2escope"
  /// The number of requested lists.
  var lists = 0
  var rows: (Systemd) -> [Value] = { _ in [row] }
  private var object: ExportedObject?

  init(on connection: Connection) {
    object = connection.objects.export(
      "/org/freedesktop/systemd1",
      Implementation(
        of: Interface<Systemd>(
          "org.freedesktop.systemd1.Manager",
          [
            .method("GetUnitByPID", in: ["pid": "u"], out: ["unit": "o"]) {
              $1.reply(.objectPath(ObjectPath(validating: "/org/freedesktop/systemd1/unit/\($0.unit)") ?? .root))
            },
            .method("GetUnitProcesses", in: ["name": "s"], out: ["processes": "a(sus)"]) {
              $0.lists += 1
              $1.reply(.array("(sus)", $0.rows($0)))
            },
          ]), by: self))
  }
}

@Suite struct SandboxCheckTests {
  private static let credentials = Credentials(userID: 1_000, processID: UInt32(getpid()), securityLabel: nil)
  private let bus: PrivateBus
  private let connection: Connection
  private let session = "0::/user.slice/user-1000.slice/session-2.scope"

  init() throws {
    bus = try PrivateBus(.session)
    connection = try Connection(to: .address(bus.address))
  }

  /// - Parameter handles: The bus's answers about the service's process, then about the client's; nil for the real bus.
  private func outcome(
    _ process: pid_t, root: ProcessRoot? = nil, handles: [Result<ProcessHandle?, CallFailure>]? = nil,
    _ controlGroup: @escaping (UInt32) -> String?
  ) throws -> Facts.Confinement? {
    var answers = handles ?? []
    let check = SandboxCheck(
      on: connection, controlGroup: controlGroup, root: root.map { root in { _ in root } }
    ) { peer, connection, handler in
      guard handles != nil else { return ProcessHandle.ask(for: peer, on: connection, handler) }
      handler(answers.removeFirst())
    }
    var outcome: Facts.Confinement?
    let credentials = Credentials(userID: 1_000, processID: UInt32(process), securityLabel: nil)
    check.check(connection.uniqueName, credentials) { confinement, _ in outcome = confinement }
    try turning("the check has a result") { outcome != nil }
    #expect(answers.isEmpty)
    return outcome
  }

  @Test func `a process that exits during the check is unverifiable`() throws {
    let process = try ChildProcess(["sleep", "100"])
    defer { process.kill() }
    #expect(try outcome(process.processIdentifier, handles: [.success(nil)]) { _ in session } == .host)
    let result = try outcome(process.processIdentifier, handles: [.success(nil)]) { _ in
      process.signal(SIGKILL)
      _ = try? process.waitForExit()
      return session
    }
    #expect(result == .unverifiable)
    #expect(try outcome(process.processIdentifier, handles: [.success(nil)]) { _ in session } == .unverifiable)
  }

  /// The id belonged to a program outside the sandbox when the service checked it.
  @Test func `a process that has reused the client's process id is unverifiable`() throws {
    let own = try #require(ProcessHandle(of: UInt32(getpid())))
    let opener = try ChildProcess(["sleep", "100"])
    let identifier = opener.processIdentifier
    let handle = try #require(ProcessHandle(of: UInt32(identifier)))
    #expect(try outcome(identifier, handles: [.success(own), .success(handle)]) { _ in session } == .host)
    opener.kill()
    _ = try opener.waitForExit()
    #expect(try outcome(getpid(), handles: [.success(own), .success(handle)]) { _ in session } == .unverifiable)
    // The process had exited before the bus could open a handle to it.
    #expect(try outcome(getpid(), handles: [.success(own), .success(nil)]) { _ in session } == .unverifiable)
    let refused = CallFailure.refused(DBusError("org.freedesktop.DBus.Error.NameHasNoOwner", "gone"))
    #expect(try outcome(getpid(), handles: [.success(own), .failure(refused)]) { _ in session } == .unverifiable)
  }

  @Test func `a question that the bus has not answered is asked again`() throws {
    let own = try #require(ProcessHandle(of: UInt32(getpid())))
    let (lost, notSent) = (DBusError(.noReply, "none"), DBusError(.limitsExceeded, "too many"))
    let answers: [Result<ProcessHandle?, CallFailure>] = [
      .failure(.lost(lost)), .success(own), .failure(.notSent(notSent)), .success(own),
    ]
    #expect(try outcome(getpid(), handles: answers) { _ in session } == .host)
  }

  /// Regression: it was unverifiable, and thus treated as sandboxed, until it connected again.
  @Test func `a process is checked again if systemd is not on the bus, or does not find it in its unit`() throws {
    let other = try Connection(to: .address(bus.address))
    let systemd = Systemd(on: other)
    systemd.rows = { systemd in systemd.lists == 1 ? [] : [Systemd.row] }
    let check = SandboxCheck(on: connection, controlGroup: { _ in nil }, askForHandle: { $2(.success(nil)) })
    var outcome: Facts.Confinement?
    check.check(connection.uniqueName, Self.credentials) { confinement, _ in outcome = confinement }
    var isRefused = false
    connection.call(Message(callingBus: "GetId"), timeout: .never, expecting: "s") { _ in isRefused = true }.keep()
    try turning("the bus has answered that systemd is absent") { isRefused }
    #expect(outcome == nil)
    try other.own("org.freedesktop.systemd1")
    try turning("the process is known") { outcome != nil }
    #expect(outcome == .host && systemd.lists == 2)
  }

  /// Regression: every process in a unit counted as sandboxed if others in it had long command lines, and a list of more
  /// than 32 MiB ended the service's connection again and again.
  @Test func `a list of processes may be long, and one that is too long ends only its own connection`() throws {
    let other = try Connection(to: .address(bus.address))
    let systemd = Systemd(on: other)
    try other.own("org.freedesktop.systemd1")
    let check = SandboxCheck(
      on: connection, openingMore: { [bus] () throws(DBusError) in try Connection(to: .address(bus.address)) },
      controlGroup: { _ in nil }, askForHandle: { $2(.success(nil)) })
    let long = Value.structure([.string("/"), .uint32(1), .string(String(repeating: "x", count: 1 << 20))])
    for (unit, length, expected) in [
      ("user_401000_2eservice", 7, Facts.Confinement.host), ("cron_2eservice", 12, .host),
      ("user_401000_2eservice", 12, .unknown), ("user_401000_2eservice", 0, .host),
    ] {
      (systemd.unit, systemd.lists) = (unit, 0)
      systemd.rows = { _ in Array(repeating: long, count: length) + [Systemd.row] }
      var outcome: Facts.Confinement?
      check.check(connection.uniqueName, Self.credentials) { confinement, _ in outcome = confinement }
      try turning("the process is known", within: .seconds(30)) { outcome != nil }
      #expect(outcome == expected && systemd.lists <= 13, "\(unit), \(length): \(systemd.lists)")
      #expect(connection.isConnected)
    }
  }

  /// Regression: checks of programs that had left stood in line, and each that ended began the next one from within.
  @Test func `many checks can end in succession, and those of peers that have left do not begin`() {
    var answers: [(Result<ProcessHandle?, CallFailure>) -> Void] = []
    let check = SandboxCheck(on: connection, controlGroup: { _ in nil }, askForHandle: { answers.append($2) })
    // There is no process with this number.
    let credentials = Credentials(userID: 1_000, processID: .max >> 1, securityLabel: nil)
    var count = 0
    for number in 0..<20_000 {
      check.check(BusName(validating: ":1.\(number)") ?? .bus, credentials) { _, _ in count += 1 }
    }
    for number in 100..<200 { check.forget(BusName(validating: ":1.\(number)") ?? .bus) }
    for answer in answers { answer(.success(nil)) }
    #expect(count == 20_000 - 100)
  }

  /// Regression: each check requested a list, and those of all accounts stood in one line.
  @Test func `checks of programs in the same unit share a list`() throws {
    let other = try Connection(to: .address(bus.address))
    let systemd = Systemd(on: other)
    try other.own("org.freedesktop.systemd1")
    var users: [UInt32: Account] = [:]
    for user: UInt32 in 1..<40 { users[user] = .user(user < 38 ? 1 : user) }
    let check = SandboxCheck(
      on: connection, controlGroup: { _ in nil }, accountOf: { users[$0] ?? .common },
      askForHandle: { $2(.success(nil)) })
    var finished: [UInt32] = []
    for user in users.keys.sorted() {
      let credentials = Credentials(userID: user, processID: UInt32(getpid()), securityLabel: nil)
      check.check(connection.uniqueName, credentials) { confinement, _ in
        #expect(confinement == .host)
        finished.append(user)
      }
    }
    try turning("all are known") { finished.count == users.count }
    #expect(systemd.lists <= 12, "\(systemd.lists)")
    #expect(finished.prefix(12).contains(38) && finished.prefix(12).contains(39), "\(finished)")
  }

  @Test func `no file descriptor stays open after the check`() throws {
    weak var descriptor: OwnedDescriptor?
    func handle() throws -> ProcessHandle {
      let owned = try OwnedDescriptor(duplicating: STDOUT_FILENO)
      descriptor = owned
      return ProcessHandle(owned)
    }
    #expect(try outcome(getpid(), handles: [.success(handle()), .success(handle())]) { _ in session } != nil)
    #expect(descriptor == nil)
  }

  @Test func `a sandboxed process remains sandboxed after it exits`() throws {
    let process = try ChildProcess(["sleep", "100"])
    let result = try outcome(process.processIdentifier) { _ in
      process.kill()
      return "0::/user.slice/app-flatpak-org.example.Test-1.scope"
    }
    #expect(result == .sandbox)
  }

  @Test(arguments: [
    (ProcessRoot.host, Facts.Confinement.host), (.sandbox, .sandbox), (.unreadable, .unverifiable),
  ])
  func `in the session deployment, a sandbox is recognised by its root folder`(
    root: ProcessRoot, expected: Facts.Confinement
  )
    throws
  {
    #expect(try outcome(getpid(), root: root) { _ in session } == expected)
  }

  @Test func `a sandbox is found by the file that Flatpak leaves in its root directory`() throws {
    let folder = TemporaryDirectory()
    #expect(ProcessRoot(of: UInt32(getpid())) == .host)
    #expect(ProcessRoot(of: UInt32.max) == .unreadable)
    #expect(ProcessRoot(at: folder.path) == .host)
    try "".write(toFile: folder.file(".flatpak-info"), atomically: true, encoding: .utf8)
    #expect(ProcessRoot(at: folder.path) == .sandbox)
  }
}
