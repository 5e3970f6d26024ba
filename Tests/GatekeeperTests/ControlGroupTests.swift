// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistTestSupport
import MainLoop
import Testing

@testable import GeopublicistGatekeeper

struct ControlGroupTests {
  @Test(arguments: [
    // The three names that Flatpak has used for its scopes.
    ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-flatpak-org.gnome.Maps-4711.scope\n", true),
    ("0::/user.slice/user-1000.slice/user@1000.service/flatpak-org.gnome.Maps-4711.scope\n", true),
    ("1:name=systemd:/user.slice/user-1000.slice/user@1000.service/xdg-app-org.gnome.Maps-4711.scope\n", true),
    // The process is in a container's own hierarchy, below the scope.
    ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-flatpak-org.x-1.scope/init\n", true),
    // snapd: a program, a service, and the freezer of version 1.
    ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/snap.firefox.firefox-1a2b.scope\n", true),
    ("0::/system.slice/snap.lxd.daemon.service\n", true),
    ("7:freezer:/snap.telegram\n1:name=systemd:/user.slice/user-1000.slice/session-2.scope\n", true),
    // The host.
    ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-gnome-org.gnome.Maps-4711.scope\n", false),
    ("0::/user.slice/user-1000.slice/session-2.scope\n", false),
    ("0::/system.slice/snapd.service\n", false),
    ("0::/system.slice/flatpak.service\n", false),
    ("0::/system.slice/system-flatpak.slice/helper.service\n", false),
    ("0::/\n", false),
    ("9:name=systemd:/\n8:pids:/\n0::/\n", false),
  ])
  func `the control group of a sandbox is recognised`(_ contents: String, _ isSandbox: Bool) throws {
    #expect(try #require(ControlGroup(contents: contents)).isSandbox == isSandbox)
  }

  @Test(arguments: ["", "\n", "nonsense\n", "0::\n", "0:x\n", "0::relative\n"])
  func `an invalid control group is refused`(_ contents: String) {
    #expect(ControlGroup(contents: contents) == nil)
  }

  @Test func `the unit of a control group is the innermost one`() {
    #expect(ControlGroup(path: "/user.slice/user-1000.slice/session-2.scope").unit == "session-2.scope")
    #expect(ControlGroup(path: "/user.slice/user@1000.service/app.slice/a-1.scope/x").unit == "a-1.scope")
    #expect(ControlGroup(path: "/").unit == nil)
  }

  /// Regression: the name of a control group could forge parts of an audit line.
  @Test(arguments: ["a, status authorized-always.service", "a'b.scope", "a\nb.scope", "ä.service", "\u{202e}.scope"])
  func `a path component that is not a valid unit name is ignored`(_ name: String) {
    #expect(ControlGroup(path: "/user.slice/\(name)").unit == nil)
    #expect(ControlGroup(path: "/user.slice/app-a\\x2db@1.service").unit == "app-a\\x2db@1.service")
  }

  @Test(arguments: [
    ("/user.slice/user-1000.slice/session-2.scope", true),
    ("/user.slice/user-1000.slice/user@1000.service/app.slice/a.service", true),
    ("/system.slice/cron.service", false), ("/system.slice/weather.service", false), ("/", false),
  ])
  func `the control group shows whether a process belongs to a session`(_ path: String, _ belongs: Bool) {
    #expect(ControlGroup(path: path).belongsToSession == belongs)
  }

  @Test(arguments: [
    ("/user.slice/user-1000.slice/user@1000.service/session.slice/org.gnome.Shell@wayland.service", "gnome-shell"),
    (
      "/user.slice/user-1000.slice/user@1000.service/app.slice/app-geoclue\\x2ddemo\\x2dagent@autostart.service",
      "geoclue-demo-agent"
    ),
    ("/user.slice/user-1000.slice/user@1000.service/session.slice/mobi.phosh.Shell.service", "sm.puri.Phosh"),
    ("/user.slice/user-1000.slice/session-2.scope", nil),
  ])
  func `the desktop id of an agent is read from the name of its unit`(_ path: String, _ id: String?) {
    #expect(AgentIdentity.id(of: ControlGroup(path: path)) == id)
  }

  @Test(arguments: [
    ("snap.firefox.firefox (enforce)", true), ("snap.code.code (complain)", true), ("unconfined", false), ("", false),
    ("system_u:system_r:initrc_t:s0", false), ("/usr/bin/snapd (enforce)", false),
  ])
  func `the security label of a sandbox is recognised`(_ text: String, _ isSandbox: Bool) {
    #expect(SecurityLabel(bytes: Array(text.utf8) + [0]).isSandbox == isSandbox)
    #expect(SecurityLabel(bytes: Array(text.utf8)).text == text)
  }

  @Test func `the name of a unit is read from its object path`() {
    let names = [
      ("/org/freedesktop/systemd1/unit/user_401000_2eservice", "user@1000.service"),
      ("/org/freedesktop/systemd1/unit/session_2d2_2escope", "session-2.scope"),
      ("/org/freedesktop/systemd1/unit/a_5fb_2eservice", "a_b.service"),
      ("/org/freedesktop/systemd1/unit/bad_2", nil), ("/org/freedesktop/systemd1/unit/bad_zz", nil),
      ("/org/example/unit/a", nil),
    ]
    for (path, name) in names { #expect(ObjectPath(validating: path).flatMap(UnitProcesses.unitName) == name) }
  }
}

@Suite struct ProgramNameTests {
  @Test(arguments: [
    ("/usr/bin/gnome-maps\n", "gnome-maps"), ("gjs /usr/share/weather.js", "gjs /usr/share/weather.js"),
    ("maps", "maps"), ("/opt/a b", "a b"),
  ]) func `the log shows the name of a program without its folder`(line: String, name: String) {
    #expect(ProgramName.plain(line) == name)
  }

  @Test func `a program's name cannot end its quotation, become markup or reverse the text`() {
    #expect(ProgramName.plain("x” is safe. <b>Allow</b> $(program)\u{202E}\u{7}") == "x is safe. bAllow/b (program)")
    #expect(ProgramName.plain("\u{202E}") == nil && ProgramName.plain(" \n") == nil)
  }

  @Test func `a long program name is truncated`() {
    #expect(ProgramName.plain(String(repeating: "a", count: 4_000))?.count == 49)
  }
}

@Suite struct AuditLimiterTests {
  private func subject(_ desktopID: String = "", _ words: String = "grant") -> AuditLimiter.Subject {
    AuditLimiter.Subject(unit: "session-2.scope", desktopID: desktopID, words: words)
  }

  /// Found by the simulation as a broken rule: the log contains each loss of access.
  @Test func `while a user's session begins or ends, the lines are charged to the user's own account`() {
    #expect(AuditLog.payer(before: .common, now: .user(1_001)) == .user(1_001))
    #expect(AuditLog.payer(before: .user(1_001), now: .common) == .user(1_001))
    #expect(AuditLog.payer(before: nil, now: .user(1_001)) == .user(1_001))
    #expect(AuditLog.payer(before: .common, now: .common) == .common)
  }

  @Test func `repeated refusals of one program are logged once a minute`() {
    var limiter = AuditLimiter()
    var lines = 0
    for second in 0..<86_400 as Range<Int64>
    where limiter.admit(subject(), of: 1_000, isGrant: false, at: .seconds(second)) != nil {
      lines += 1
    }
    #expect(lines == 1_440)
  }

  @Test func `each combination of outcome, program and user has a separate log line`() {
    var limiter = AuditLimiter()
    #expect(limiter.admit(subject(), of: 1, isGrant: false, at: 0) == 0)
    #expect(limiter.admit(subject("", "revocation"), of: 1, isGrant: false, at: 1) == 0)
    #expect(limiter.admit(subject("a"), of: 1, isGrant: false, at: 2) == 0)
    #expect(limiter.admit(subject(), of: 2, isGrant: false, at: 3) == 0)
    #expect(limiter.admit(subject(), of: 1, isGrant: false, at: 4) == nil)
    #expect(
      limiter.admit(subject(), of: 1, isGrant: false, at: .origin + AuditLimiter.window) == 1,
      "the next line counts the omitted ones")
  }

  /// Regression: one user caused thousands of lines in a few seconds, with as many names.
  @Test func `the number of log lines for one user is limited`() {
    var limiter = AuditLimiter()
    let lines = (0..<10_000).filter { limiter.admit(subject("\($0)"), of: 1, isGrant: false, at: 0) != nil }.count
    #expect(lines == AuditLimiter.linesPerAccount)
    #expect(limiter.admit(subject(), of: 2, isGrant: false, at: 0) == 0)
    #expect(
      limiter.admit(subject(), of: 1, isGrant: false, at: .origin + AuditLimiter.window) == 10_000
        - AuditLimiter.linesPerAccount)
  }

  /// journald drops lines beyond 10,000 in 30 seconds, including those about other users' grants.
  @Test func `refusals of many users do not prevent grants from being logged`() {
    var limiter = AuditLimiter()
    let lines = (0..<10_000 as Range<UInt32>).filter {
      limiter.admit(subject("", "refusal"), of: .user($0), isGrant: false, at: 0) != nil
    }
    #expect(lines.count == AuditLimiter.lines - AuditLimiter.linesForGrants)
    #expect(limiter.admit(subject(), of: 20_000, isGrant: true, at: 1) == 0)
    #expect(limiter.admit(subject("", "x"), of: 20_000, isGrant: false, at: .origin + AuditLimiter.totalWindow) == 0)
  }
}
