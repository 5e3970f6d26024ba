// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// `geopublicist timezone` with a simulated GeoClue and a timedated that does not set the clock.
@Suite(.serialized) final class TimeZoneTests {
  private let bus: PrivateBus
  private let geoclue: FakeGeoClue
  private var service: Service
  private let folder = TemporaryDirectory()

  init() throws {
    bus = try PrivateBus(.session)
    geoclue = try FakeGeoClue(on: bus)
    service = try Service(.system, on: bus)
    try geoclue.fix(latitude: 52.52, longitude: 13.4)
  }

  private func timedated(_ zone: String = "Etc/UTC") throws -> ChildProcess {
    try ChildProcess.ready([Rig.python, Rig.file("timedated.py"), bus.address, zone])
  }

  /// Starts the command as the unit does, with a short wait.
  private func follow(_ more: [String] = []) throws -> ChildProcess {
    try ChildProcess(
      [Rig.product("geopublicist"), "--address", bus.address, "timezone", "--follow", "--after", "1s"] + more,
      environment: ["STATE_DIRECTORY": folder.path, "PATH": "\(folder.path):/usr/bin:/bin"])
  }

  /// Restarts the service at another place, because within a level's interval it would remain in its cell.
  private func travel(_ latitude: Double, _ longitude: Double) throws {
    service.kill()
    try geoclue.fix(latitude: latitude, longitude: longitude)
    service = try Service(.system, on: bus)
  }

  private func calls(_ timedated: ChildProcess) -> [String] {
    timedated.standardOutput.split(separator: "\n").map(String.init).filter { $0.contains("/") }
  }

  @Test func `timezone prints the zone as text or JSON, and fails near a border between two zones`() throws {
    let text = try CommandRun.finished(["timezone"], on: bus)
    #expect(text.standardOutput == "Europe/Berlin\n" && text.exit == .status(0), "\(text.standardError)")
    let object = try CommandRun.finished(["timezone", "--json"], on: bus).objects
    #expect(object == [["TimeZone": "Europe/Berlin", "Approximate": false]])
    // Between Badajoz and Elvas.
    try travel(38.88, -7.07)
    let border = try CommandRun.finished(["timezone"], on: bus)
    #expect(border.exit == .status(4) && border.standardOutput.isEmpty && border.standardError.contains("border"))
    #expect(try CommandRun.finished(["timezone", "--after", "0"], on: bus).exit == .status(2))
  }

  @Test func `--follow sets the clock once for each zone and does not replace a zone that the user has set`() throws {
    let timedated = try timedated()
    let follow = try follow(["--json"])
    try eventually("the clock is set", within: .seconds(30), seen: follow.output + service.log) {
      calls(timedated) == ["Europe/Berlin False"]
    }
    try eventually("the change is reported", seen: follow.output) {
      JSON.lines(follow.standardOutput).last?["Event"] == "Set"
    }
    #expect(JSON.lines(follow.standardOutput).first?["TimeZone"] == "Europe/Berlin")
    try eventually("the zone is recorded") {
      (try? String(contentsOfFile: folder.file("zone"), encoding: .utf8)) == "Europe/Berlin\n"
    }
    try timedated.send("zone Asia/Tokyo")
    follow.signal(SIGTERM)
    #expect(try follow.waitForExit() == .status(0))
    let again = try self.follow()
    try eventually("the zone is computed again", within: .seconds(30), seen: again.output) {
      again.standardOutput == "Europe/Berlin\n"
    }
    try always("the choice is not overwritten", for: .milliseconds(1_500)) { calls(timedated).count == 1 }
    try travel(48.2, 16.37)
    try eventually("the next zone is set", within: .seconds(30), seen: again.output) {
      calls(timedated) == ["Europe/Berlin False", "Europe/Vienna False"]
    }
  }

  @Test(arguments: ["AccessDenied", "InteractiveAuthorizationRequired", "InvalidArgs"])
  func `after a refusal or a request for a password, timedated is asked again later`(error: String) throws {
    let timedated = try timedated()
    try timedated.send("refuse \(error)")
    let follow = try follow()
    try eventually("timedated is asked again", within: .seconds(30), seen: follow.output) {
      calls(timedated).count >= 2
    }
    #expect(follow.standardError.split(separator: "\n").count == 1, "\(follow.standardError)")
    #expect(follow.standardError.contains(error == "InvalidArgs" ? "systemd-timedated" : "polkit"))
    try timedated.send("accept")
    try eventually("the clock is set", within: .seconds(30)) {
      FileManager.default.fileExists(atPath: folder.file("zone"))
    }
    let count = calls(timedated).count
    try always("it is not set again", for: .milliseconds(1_500)) { calls(timedated).count == count }
  }

  @Test func `--follow exits with an explanation if timedated is not installed`() throws {
    let follow = try follow()
    #expect(try follow.waitForExit() == .status(4))
    #expect(follow.standardError.contains("systemd-timedated is not installed"), "\(follow.standardError)")
  }

  @Test func `the clock is not set to an approximate zone`() throws {
    try geoclue.fix(latitude: 52.52, longitude: 13.4, ["Accuracy": 20_000])
    try travel(52.52, 13.4)
    try geoclue.fix(latitude: 52.52, longitude: 13.4, ["Accuracy": 20_000])
    let timedated = try timedated()
    let follow = try follow(["--json"])
    try eventually("a zone", within: .seconds(30), seen: follow.output) { !follow.standardOutput.isEmpty }
    #expect(JSON.lines(follow.standardOutput).first?["Approximate"] == true)
    try always("the clock is unchanged", for: .milliseconds(2_500)) { calls(timedated).isEmpty && follow.exited == nil }
  }

  @Test func `--follow refuses to start beside GNOME's automatic time zone`() throws {
    let timedated = try timedated()
    let program = folder.file("gsettings")
    try "#!/bin/sh\n[ \"$*\" = 'get org.gnome.desktop.datetime automatic-timezone' ] && echo true\n"
      .write(toFile: program, atomically: true, encoding: .utf8)
    chmod(program, 0o755)
    let logind = try ChildProcess.ready([Rig.python, Rig.file("logind.py"), bus.address, "\(getuid())", "active"])
    let follow = try follow()
    #expect(try follow.waitForExit() == .status(1))
    #expect(follow.standardError.contains("automatic-timezone false") && calls(timedated).isEmpty)
    withExtendedLifetime(logind) {}
  }

  @Test(.enabled(if: Rig.isRoot && FileManager.default.fileExists(atPath: "/usr/lib/systemd/systemd-timedated")))
  func `the real timedated changes the clock's zone`() throws {
    let etc = folder.file("etc")
    try FileManager.default.createDirectory(atPath: etc, withIntermediateDirectories: true)
    for name in ["passwd", "group", "nsswitch.conf"] {
      try FileManager.default.copyItem(atPath: "/etc/\(name)", toPath: "\(etc)/\(name)")
    }
    symlink("/usr/share/zoneinfo/Etc/UTC", "\(etc)/localtime")
    // timedated runs without the right to set the kernel's clock, which the whole machine uses.
    let timedated = try ChildProcess(
      [
        Rig.file("with-mounts.sh"), "\(etc)=/etc", "--", "setpriv", "--bounding-set=-sys_time",
        "/usr/lib/systemd/systemd-timedated",
      ], environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
    try waitForOwner(of: "org.freedesktop.timedate1", on: bus, by: timedated)
    let follow = try follow()
    try eventually("the link is changed", within: .seconds(30), seen: follow.output + timedated.output) {
      try FileManager.default.destinationOfSymbolicLink(atPath: "\(etc)/localtime").hasSuffix("/Europe/Berlin")
    }
  }
}
