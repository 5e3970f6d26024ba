// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// `geopublicist place` and `geopublicist run`.
@Suite(.serialized) struct RunTests {
  private let folder = TemporaryDirectory()
  private var environment: [String: String] { ["XDG_CONFIG_HOME": folder.path] }

  private func command(_ arguments: [String], on bus: PrivateBus? = nil) throws -> CommandResult {
    try run(
      [Rig.product("geopublicist")] + (bus.map { ["--address", $0.address] } ?? []) + arguments,
      environment: environment, within: .seconds(30))
  }

  /// Moves into the place at 52.5 degrees once it is monitored. Begins outside, because a region that begins inside is not
  /// entered.
  private func enter(_ machine: CommandFixture, _ listener: ChildProcess, _ runner: ChildProcess) throws {
    try eventually("the place is monitored", within: .seconds(20)) {
      try machine.finished(["list", "--json"]).standardOutput.contains("\"region\"")
    }
    for latitude in [53.0, 53.0001, 52.5, 52.5001] where runner.exited == nil {
      try machine.measure(latitude)
      try eventually("the fix", within: .seconds(20)) { listener.standardOutput.contains(" \(latitude)") }
      if latitude == 53.0001 {
        try eventually("it is outside", within: .seconds(20)) { try delivered(on: machine.bus) >= 1 }
      }
    }
  }

  @Test func `the file with the user's places is readable only by that user`() throws {
    #expect(try command(["place", "add", "home", "--at", "52.5,13.4", "--radius", "200m"]).succeeded)
    #expect(try command(["place", "add", "work", "--at", "52.6,-13.4"]).succeeded)
    let taken = try command(["place", "add", "home", "--at", "52.55,13.4"])
    #expect(taken.exit == .status(1) && taken.standardError.contains("--force replaces it"))
    #expect(try command(["place", "add", "home", "--at", "52.55,13.4", "--force"]).succeeded)
    let listed = try command(["place", "list", "--json"])
    #expect(
      listed.standardOutput == """
        {"Name":"work","Latitude":52.6,"Longitude":-13.4,"Radius":150}
        {"Name":"home","Latitude":52.55,"Longitude":13.4,"Radius":150}

        """)
    let file = try FileManager.default.attributesOfItem(atPath: folder.file("geopublicist/places.conf"))
    #expect(file[.posixPermissions] as? Int == 0o600)
    #expect(try command(["place", "remove", "work"]).succeeded)
    #expect(try command(["place", "remove", "work"]).exit == .status(1))
    #expect(try command(["place", "list"]).standardOutput.split(separator: "\n").count == 2)
  }

  @Test func `place add --here uses the current location`() throws {
    let bus = try PrivateBus(.session)
    let service = try Service(.session, on: bus, options: ["--at", "52.5,13.4"])
    let result = try command(["place", "add", "here", "--here"], on: bus)
    #expect(result.succeeded, "\(result.standardError)")
    #expect(try command(["place", "list"]).standardOutput.contains("here\t52.5\t13.4\t150 m\n"))
    #expect(service.isRunning)
  }

  @Test func `run starts its command when the place is entered`() throws {
    let machine = try CommandFixture()
    let listener = try machine.started(["watch"])
    #expect(try command(["place", "add", "home", "--at", "52.5,13", "--radius", "1km"]).succeeded)
    let file = folder.file("events")
    let line = "echo $GEOPUBLICIST_EVENT $GEOPUBLICIST_PLACE$GEOPUBLICIST_LATITUDE >> '\(file)'; exit 7"
    let runner = try ChildProcess(
      [
        Rig.product("geopublicist"), "--address", machine.bus.address, "run", "--once", "--confirm", "100ms", "--when",
        "entered", "home", "--", "sh", "-c", line,
      ], environment: environment)
    try enter(machine, listener, runner)
    #expect(try runner.waitForExit(within: .seconds(30)) == .status(7), "\(runner.standardError)")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "entered home\n")
  }

  /// Regression: the second hook was started and killed.
  @Test func `run --once runs every hook of the event, and exits with the first status other than 0`() throws {
    let machine = try CommandFixture()
    let listener = try machine.started(["watch"])
    #expect(try command(["place", "add", "home", "--at", "52.5,13", "--radius", "1km"]).succeeded)
    let hooks = folder.file("geopublicist/hooks.d")
    try FileManager.default.createDirectory(atPath: hooks, withIntermediateDirectories: true)
    let file = folder.file("events")
    for (name, status) in [("10-first", 7), ("20-second", 8)] {
      let path = "\(hooks)/\(name)"
      try "#!/bin/sh\nsleep 0.3\necho \(name) $2 >> '\(file)'\nexit \(status)\n"
        .write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    let runner = try ChildProcess(
      [
        Rig.product("geopublicist"), "--address", machine.bus.address, "run", "--once", "--confirm", "100ms", "--hooks",
      ], environment: environment)
    try enter(machine, listener, runner)
    #expect(try runner.waitForExit(within: .seconds(30)) == .status(7), "\(runner.standardError)")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "10-first entered\n20-second entered\n")
  }

  /// Regression: the file was read only at the start.
  @Test func `run --hooks follows places that are added and removed`() throws {
    let machine = try CommandFixture()
    try FileManager.default.createDirectory(
      atPath: folder.file("geopublicist/hooks.d"), withIntermediateDirectories: true)
    #expect(try command(["place", "add", "home", "--at", "52.5,13.4"]).succeeded)
    let runner = try ChildProcess(
      [Rig.product("geopublicist"), "--address", machine.bus.address, "run", "--hooks"], environment: environment)
    func expectRegions(_ count: Int) throws {
      try eventually("\(count) places are monitored", within: .seconds(20)) {
        try machine.finished(["list", "--json"]).objects.count { $0["Kind"] == "region" } == count
      }
    }
    try expectRegions(1)
    #expect(try command(["place", "add", "work", "--at", "52.5,13.4"]).succeeded)
    try expectRegions(2)
    #expect(try command(["place", "remove", "work"]).succeeded)
    try expectRegions(1)
    try "[home]\n".write(toFile: folder.file("geopublicist/places.conf"), atomically: true, encoding: .utf8)
    try eventually("it prints the mistake", within: .seconds(20)) { runner.standardError.contains("latitude") }
    try expectRegions(1)
  }

  @Test func `run --once that is interrupted before the event does not succeed`() throws {
    let machine = try CommandFixture()
    #expect(try command(["place", "add", "home", "--at", "52.5,13"]).succeeded)
    let runner = try ChildProcess(
      [
        Rig.product("geopublicist"), "--address", machine.bus.address, "run", "--once", "--when", "exited", "home",
        "--",
        "true",
      ], environment: environment)
    try eventually("the place is monitored", within: .seconds(20)) {
      try machine.finished(["list", "--json"]).standardOutput.contains("\"region\"")
    }
    runner.signal(SIGINT)
    #expect(try runner.waitForExit() == .status(130))
  }

  @Test func `run reports why no location arrives`() throws {
    let machine = try CommandFixture()
    machine.geoclue.kill()
    #expect(try command(["place", "add", "home", "--at", "52.5,13", "--radius", "1km"]).succeeded)
    let arguments = ["--address", machine.bus.address, "run", "--when", "entered", "home", "--", "true"]
    let runner = try ChildProcess([Rig.product("geopublicist")] + arguments, environment: environment)
    try eventually("it prints the reason", within: .seconds(20)) { runner.standardError.contains("GeoClue") }
  }

  /// How many events the region has sent.
  private func delivered(on bus: PrivateBus) throws -> Double {
    let lines = try CommandRun.finished(["list", "--json"], on: bus).standardOutput.split(separator: "\n")
    return lines.compactMap { JSON(line: String($0)) }.first { $0["Kind"] == "region" }?["Delivered"]?.number ?? 0
  }

  @Test func `Tab completes the names of places`() throws {
    for name in ["home", "work"] {
      #expect(try command(["place", "add", name, "--at", "52.5,13.4"]).succeeded)
    }
    let bin = (Rig.product("geopublicist") as NSString).deletingLastPathComponent
    let script = """
      . /usr/share/bash-completion/bash_completion
      . '\(Rig.sourceFile("packaging/completions/geopublicist.bash"))'
      for line in 'place remove ' 'run --when entered h' 'place '; do
        COMP_LINE="geopublicist $line" COMP_POINT=${#COMP_LINE} COMP_WORDS=(geopublicist $line)
        COMP_POINT=${#COMP_LINE}
        case $line in *' ') COMP_WORDS+=('') ;; esac
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
        _geopublicist
        echo "${COMPREPLY[@]}"
      done
      """
    let result = try run(
      ["bash", "-c", script], environment: environment.merging(["PATH": "\(bin):/usr/bin:/bin"]) { $1 })
    #expect(result.standardOutput == "home work\nhome\nadd list remove\n", "\(result.standardError)")
  }

  @Test(arguments: [
    (["--at", "sunset-30", "--", "true"], "--at sunset-30 is in seconds; for minutes write sunset-30min"),
    (["--at", "sunset", "--", "/nonexistent"], "There is no program '/nonexistent'"),
    (["--hooks"], "hooks.d/10-open is skipped: other users can write to it"),
    (["--hooks"], "hooks.d/20-text is skipped: it is not executable"),
  ]) func `run warns at the start about hooks and arguments that will not work`(arguments: [String], message: String)
    throws
  {
    let hooks = folder.file("geopublicist/hooks.d")
    try FileManager.default.createDirectory(atPath: hooks, withIntermediateDirectories: true)
    for (name, mode) in [("10-open", 0o777), ("20-text", 0o644), ("30-good", 0o755)] as [(String, mode_t)] {
      try "#!/bin/sh\n".write(toFile: "\(hooks)/\(name)", atomically: true, encoding: .utf8)
      chmod("\(hooks)/\(name)", mode)
    }
    let bus = try PrivateBus(.session)
    let runner = try ChildProcess(
      [Rig.product("geopublicist"), "--address", bus.address, "run"] + arguments, environment: environment)
    try eventually("its message", seen: runner.output) { runner.standardError.contains(message) }
    #expect(!runner.standardError.contains("30-good"))
  }

  @Test func `run refuses a place together with a time of the sun`() throws {
    let result = try command(["run", "home", "--at", "sunset", "--", "true"])
    #expect(result.exit == .status(2) && result.standardError.contains("run --at cannot be combined with a PLACE"))
  }

  @Test func `the error for an unknown place names the place`() throws {
    let bus = try PrivateBus(.session)
    let result = try command(["run", "--when", "entered", "home", "--", "true"], on: bus)
    #expect(result.exit == .status(1) && result.standardError.contains("There is no place 'home'; add it with: "))
  }
}
