// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// `geopublicist doctor` for an ordinary user, with the real polkit and GeoClue.
@Suite(.serialized, .enabled(if: Rig.isRoot, "needs other users")) struct DoctorForAUserTests {
  private func examine(
    _ machine: GatekeeperFixture, receiverAhead: Double = 0
  ) throws -> [String: (outcome: String, finding: String)] {
    let doctor = try ChildProcess(
      [Rig.product("geopublicist"), "doctor", "--json"], environment: ["DBUS_SYSTEM_BUS_ADDRESS": machine.bus.address],
      as: GatekeeperFixture.user)
    // Like a receiver, writes while GeoClue is connected.
    try eventually("doctor ends", within: .seconds(60)) {
      machine.receiver.offer(GGASentence(latitude: 52.5, longitude: 13.25, time: Date() + receiverAhead))
      usleep(50_000)
      return doctor.exited != nil
    }
    let lines = doctor.standardOutput.split(separator: "\n").compactMap { JSON(line: String($0)) }
    return Dictionary(
      lines.map { ($0["Subject"]?.string ?? "", ($0["Outcome"]?.string ?? "", $0["Finding"]?.string ?? "")) },
      uniquingKeysWith: { first, _ in first })
  }

  @Test func `doctor finds no problem for an ordinary user while fixes arrive`() throws {
    let machine = try GatekeeperFixture(.yes)
    try machine.agent(of: GatekeeperFixture.user)
    let found = try examine(machine)
    #expect(found.values.allSatisfy { $0.outcome != "problem" }, "\(found)")
    #expect(found["fix"]?.outcome == "ok" && found["agent"]?.outcome == "ok", "\(found)")
  }

  @Test(arguments: receiverClocks(-3_600, 600))
  func `doctor reports a receiver whose clock differs from the computer's`(by seconds: Double) throws {
    let machine = try GatekeeperFixture(.yes)
    try machine.agent(of: GatekeeperFixture.user)
    let found = try examine(machine, receiverAhead: seconds)
    #expect(found["clock"]?.finding.contains("differ by \(seconds < 0 ? "1h" : "10min")") == true, "\(found)")
  }

  @Test func `doctor reports a polkit rule that forbids location`() throws {
    let machine = try GatekeeperFixture(.no)
    try machine.agent(of: GatekeeperFixture.user)
    let found = try examine(machine)
    #expect(found["polkit"]?.finding.contains("a rule forbids it") == true, "\(found)")
  }

  @Test func `doctor reports that location is turned off`() throws {
    let machine = try GatekeeperFixture(.yes)
    try machine.agent(of: GatekeeperFixture.user, level: 0)
    #expect(try examine(machine)["switch"]?.outcome == "problem")
  }
}

/// `geopublicist authorize --interactive` without a desktop: polkit's own agent asks on the terminal. Uses the real
/// polkit, its agent and its helper, PAM, and a typed password.
@Suite(
  .serialized, .enabled(if: ControlGroups.areAvailable, "needs another user, a password and a separate session")
)
struct AuthorizeOnTerminalTests {
  private let folder = TemporaryDirectory()
  private let machine: GatekeeperFixture
  private let agent: DesktopAgent
  private let groups = ControlGroups()

  init() throws {
    machine = try GatekeeperFixture(.asks)
    agent = try machine.agent(of: GatekeeperFixture.user)
    // The helper that calls PAM uses the standard address of the system bus, regardless of the environment.
    try FileManager.default.createDirectory(atPath: folder.file("run/dbus"), withIntermediateDirectories: true)
    let socket = machine.bus.address.replacing("unix:path=", with: "")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("run/dbus/system_bus_socket"), withDestinationPath: socket)
    let name = String(cString: getpwuid(GatekeeperFixture.user).pointee.pw_name)
    try "\(name):\(Self.hash):20000:0:99999:7:::\n".write(
      toFile: folder.file("shadow"), atomically: true, encoding: .utf8)
    chmod(folder.file("shadow"), 0o600)
  }

  nonisolated private static let password = "open sesame"
  /// The hash of that password, by crypt(3).
  private static let hash =
    "$6$geopublicist$e3KYyXXwuN7pk2azxGhwD8iEFZ4.2hSD8AWqLL1nKPTIbXEj5EA568xKu2yv/SPI0YuoQJsYgkrcqL5g5VvGQ."

  /// Runs the command on the user's own terminal, then prints the terminal's state.
  private func authorize(_ arguments: String = "authorize") throws -> ChildProcess {
    let user = GatekeeperFixture.user
    // polkit accepts a fallback agent only in a session, which it identifies by its control group.
    let command =
      "trap : INT; tty; " + groups.commandToEnterSession()
      + "setpriv --reuid=\(user) --regid=\(user) --clear-groups -- '\(Rig.product("geopublicist"))' "
      + "\(arguments) --interactive; echo status $?; stty -a"
    let terminal = try ChildProcess(
      [
        Rig.file("with-mounts.sh"), "\(folder.file("run"))=/run", "\(folder.file("shadow"))=/etc/shadow", "--",
        "script", "-qefc", command, "/dev/null",
      ], environment: ["TERM": "xterm", "NO_COLOR": "1", "DBUS_SYSTEM_BUS_ADDRESS": machine.bus.address])
    try eventually("a question", seen: terminal.output) {
      terminal.standardOutput.contains("Password: ") && hidesInput(terminal.standardOutput)
    }
    return terminal
  }

  /// Whether the terminal, whose path is the first line of a text, does not show what is typed. The agent of polkit
  /// discards what was typed before that.
  private func hidesInput(_ text: String) -> Bool {
    guard let path = text.split(separator: "\r\n").first.map(String.init) else { return false }
    let terminal = open(path, O_RDONLY | O_NOCTTY)
    defer { close(terminal) }
    var state = termios()
    return tcgetattr(terminal, &state) == 0 && state.c_lflag & tcflag_t(ECHO) == 0
  }

  private func expect(_ parts: String..., at terminal: ChildProcess) throws {
    _ = try terminal.waitForExit(within: .seconds(20))
    let text = terminal.standardOutput
    #expect(text.contains(#/ echo\b/#), "what is typed is shown again: \(text)")
    #expect(!text.contains(Self.password))
    #expect(parts.allSatisfy(text.contains), "\(text)")
  }

  @Test(arguments: [
    ("authorize", password, "authorized-when-in-use\r\nAccess", 0),
    ("authorize", "close sesame", "denied\r\nPermission was denied, or the password was wrong\r\n", 3),
    ("watch", "close sesame", "Permission was denied, or the password was wrong\r\n", 3),
    // Ctrl-C.
    ("authorize", "\u{3}", "Password: ", 130),
  ])
  func `only the right password grants access`(
    _ command: String, _ typed: String, _ answer: String, _ status: Int
  ) throws {
    let terminal = try authorize(command)
    try terminal.send(typed)
    try expect(answer, "status \(status)\r", at: terminal)
  }

  @Test func `locate --interactive asks the user and prints the location after consent`() throws {
    let terminal = try authorize("locate --maximum-age 0")
    #expect(terminal.standardOutput.contains("let the program “geopublicist”"), "\(terminal.standardOutput)")
    try terminal.send(Self.password)
    try eventually("GeoClue is used", within: .seconds(20)) { machine.receiver.isConnected }
    try machine.receiver.write(GGASentence(latitude: 52.5, longitude: 13))
    try expect("geo:52.5000000,13.0000000", "\nstatus 0\r", at: terminal)
  }

  @Test func `authorize --interactive shows no dialog in a pipe`() throws {
    let result = try run(
      [Rig.product("geopublicist"), "authorize", "--interactive"],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": machine.bus.address], as: GatekeeperFixture.user)
    #expect(result.exit == .status(3), "\(result.standardError)")
    #expect(result.standardOutput.hasPrefix("not-determined\n") && !result.standardOutput.contains("Password"))
  }
}
