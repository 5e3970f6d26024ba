import DBus
import Foundation
// SPDX-License-Identifier: Apache-2.0
import GeopublicistProcessSupport
import GeopublicistTestSupport
import Testing

@testable import geopublicist

/// The exit statuses, one by one.
@Suite(.serialized) struct ExitStatusTests {
  @Test(arguments: [
    ["nonsense"], ["watch", "more"], ["watch", "--count", "-1"], ["locate", "--accuracy", "none"],
    ["locate", "--timeout", "soon"], ["watch", "--distance", "nan"], ["--session", "--system", "status"],
    ["--nonsense"], ["watch", "--count", "0"], ["watch", "--duration", "0"], ["record", "x", "--count", "0"],
    ["record", "x", "--duration", "0s"], ["watch", "--count", "5000000000"],
    ["locate", "--timeout", "3min"], ["list", "--format", "{place}"],
    ["list", "--json", "--format", "{pid}"], ["locate", "--timeout", "0"],
    ["region"], ["region", "52,13"], ["region", "52,13,49m"], ["region", "52,13,1001km"], ["region", "91,13,1km"],
    ["region", "nan,13,1km"], ["region", "52,13,1km,5"], ["region", "52,13,1km", "--until", "left"],
    ["region", "52,13,1km", "--assumed", "near"], ["region", "52,13,1km", "--confirm", "-1s"],
    ["run"], ["run", "--when", "near", "home", "--", "true"], ["run", "--at", "evening", "--", "true"],
    ["run", "--at", "sunset"], ["run", "--when", "entered", "home"], ["run", "--hooks", "--at", "noon", "--", "true"],
    ["place"], ["place", "add", "home"], ["place", "add", "a b", "--here"],
    ["place", "add", "x", "--at", "52,13", "--radius", "10m"], ["doctor", "--geoclue-config=/nonexistent"],
    ["run", "home", "--at", "sunset", "--", "true"],
  ]) func `the command exits with 2 if it is used incorrectly`(arguments: [String]) throws {
    let bus = try PrivateBus(.session)
    let service = try Service(.session, on: bus)
    let result = try CommandRun.finished(arguments, on: bus)
    #expect(result.exit == .status(2))
    #expect(result.standardError.hasPrefix("geopublicist: ") && result.standardOutput.isEmpty)
    #expect(service.isRunning)
  }

  private static nonisolated let texts = [["--help"], ["watch", "--help"], ["--version"], ["help", "loc"], ["vers"]]

  @Test(arguments: texts) func `the command exits with 0 after printing help`(arguments: [String]) throws {
    let result = try run([Rig.product("geopublicist")] + arguments)
    #expect(result.exit == .status(0))
    #expect(result.standardOutput.contains("geopublicist") && result.standardError.isEmpty)
  }

  @Test(arguments: texts) func `a program fails if its help cannot be written`(arguments: [String]) throws {
    for (redirection, reason) in [("> /dev/full", "No space left on device"), (">&-", "Bad file descriptor")] {
      for program in ["geopublicist", "geopublicistd"] where program == "geopublicist" || arguments.count == 1 {
        guard program == "geopublicist" || arguments[0].hasPrefix("--") else { continue }
        let command = ["sh", "-c", "exec \"$@\" \(redirection)", "-", Rig.product(program)]
        let result = try run(command + arguments)
        #expect(result.exit == .status(1), "\(program) \(redirection)")
        #expect(result.standardError == "\(program): The output cannot be written: \(reason)\n")
      }
    }
  }

  @Test(arguments: [
    ([""], "There is no command ''; see geopublicist help"),
    (["wach"], "There is no command 'wach'; did you mean 'watch'?"),
    (["watch", "--acuracy", "city"], "There is no option --acuracy; did you mean --accuracy?"),
    (["watch", "--acc=city"], "There is no option --acc; did you mean --accuracy?"),
    (["watch", "--in", "1s"], "There is no option --in; did you mean --interactive or --interval?"),
    (["locate", "--nonsense"], "There is no option --nonsense; --help lists the options"),
    (["watch", "-jZ"], "There is no option -Z"),
    (["watch", "-n0"], "--count requires a whole number from 1 to 4294967295, not '0'"),
    (["watch", "-jn", "x"], "--count requires a whole number from 1 to 4294967295, not 'x'"),
    (["region", "-33.8,151.2,100m"], "There is no option -3; write -- before a number that begins with a minus"),
    (["replay", "--system", "x"], "There is no option --system; --help lists the options"),
    (["region", "1,2,100m", "--assumed", "unknown"], "--assumed requires inside or outside, not 'unknown'"),
    (["record", ""], "record requires exactly one FILE"),
    (["replay", "walk.gpx", "--speed", "0"], "--speed requires a number greater than 0, not '0'"),
    (["replay", "walk.gpx", "--speed", "1,5"], "--speed requires a number greater than 0, not '1,5'"),
    (["replay", "walk.gpx", "day.gpx"], "replay takes one FILE; write -- before a COMMAND"),
  ]) func `a mistake in the arguments is answered with a suggestion`(arguments: [String], message: String) throws {
    let result = try run([Rig.product("geopublicist")] + arguments)
    #expect(result.exit == .status(2) && result.standardError == "geopublicist: \(message)\n")
  }

  @Test(arguments: [["replay"], ["record", "--summary"]]) func `an error message contains the file's name only once`(
    command: [String]
  ) throws {
    let result = try run([Rig.product("geopublicist")] + command + ["/nonexistent/walk.gpx"])
    #expect(result.exit == .status(1))
    #expect(result.standardError == "geopublicist: /nonexistent/walk.gpx: No such file or directory\n")
  }

  /// Regression: GLib rejected it in a locale without UTF-8, which is every locale for the service.
  @Test func `an option may have a value that is not ASCII`() throws {
    let plain = ["LC_ALL": "C"]
    let sun = try run([Rig.product("geopublicist"), "sun", "--at", "0,0", "--format", "☀"], environment: plain)
    #expect(sun.standardOutput == "☀\n" && sun.standardError.isEmpty)
    let service = try run(
      [Rig.product("geopublicistd"), "--session", "--replay", "/nonexistent/ü.gpx"], environment: plain)
    #expect(service.standardError.contains("/nonexistent/ü.gpx: No such file or directory"), "\(service.standardError)")
  }

  @Test(.enabled(if: Rig.isRoot, "needs other users")) func `a command that is refused access exits with 3`() throws {
    let machine = try CommandFixture()
    for arguments in [["locate"], ["watch"], ["authorize"]] {
      let result = try machine.finished(arguments, as: 65534)
      #expect(result.exit == .status(3), "\(arguments) \(result.standardError)")
    }
    let module = try machine.finished(["locate", "--format", "waybar"], as: 65534)
    #expect(JSON(line: module.standardOutput)?["class"] == "denied", "\(module.standardOutput)")
  }

  @Test(arguments: ["status", "locate", "watch", "list", "authorize"])
  func `the command exits with 4 if the service is not installed`(command: String) throws {
    let result = try CommandRun.finished([command], on: PrivateBus(.session))
    #expect(result.exit == .status(4))
    #expect(result.standardError.contains("The service is not running on"))
  }

  @Test(
    arguments: [
      ("unix:path=/nonexistent", 4, "Cannot connect to this bus: "), ("here", 2, "This is not a D-Bus address: "),
    ])
  func `the command exits with 4 without a bus and with 2 for an invalid address`(
    address: String, status: Int32, message: String
  ) throws {
    let result = try run([Rig.product("geopublicist"), "--address", address, "status"])
    #expect(result.exit == .status(status))
    #expect(result.standardError.hasPrefix("geopublicist: \(message)"))
  }

  @Test(arguments: [["--session", "status"], ["replay", Rig.sourceFile("Tests/Fuzz/Seeds/gpx/track.gpx")]])
  func `the command exits with 4 if there is no session bus`(arguments: [String]) throws {
    let nowhere = ["env", "-u", "DBUS_SESSION_BUS_ADDRESS", "-u", "DISPLAY", "XDG_RUNTIME_DIR=/nonexistent"]
    let result = try run(nowhere + [Rig.product("geopublicist")] + arguments)
    #expect(result.exit == .status(4))
    #expect(result.standardError.hasPrefix("geopublicist: Cannot connect to the session bus: this login has no bus"))
    #expect(!result.standardError.contains("X11"))
  }

  @Test func `status does not wait 25 s for a service that hangs`() throws {
    let machine = try CommandFixture()
    machine.service.signal(SIGSTOP)
    let begin = ContinuousClock.now
    let result = try machine.finished(["status"])
    // Calls without an explicit timeout fail after 25 s.
    #expect(begin.duration(to: .now) < .seconds(20))
    #expect(result.exit == .status(4) && result.standardError.contains("does not answer"))
    machine.service.signal(SIGCONT)
  }

  @Test(arguments: [
    "org.freedesktop.DBus.Error.TimedOut", "org.freedesktop.DBus.Error.Spawn.ChildExited",
    "org.freedesktop.DBus.Error.NameHasNoOwner", "org.freedesktop.systemd1.JobFailed",
    "org.freedesktop.systemd1.UnitMasked",
  ]) func `the command exits with 4 if the service does not start`(name: String) throws {
    let name = try #require(ErrorName(validating: name))
    #expect(Failure(DBusError(name, "of some kind"), on: "the system bus").status == 4)
  }

  @Test(
    arguments: [
      (ErrorName.noReply, DoctorFacts.Service.activatable, 4), (.serviceUnknown, .activatable, 4),
      (.noReply, .running, 4), (.serviceUnknown, .missing, 4),
    ] as [(ErrorName, DoctorFacts.Service, Int32)])
  func `a service that does not answer is reported as not started unless it was already running`(
    name: ErrorName, presence: DoctorFacts.Service, status: Int32
  ) {
    let failure = Failure(DBusError(name, ""), on: "the system bus", presence: presence)
    #expect(failure.status == status)
    #expect(failure.message.hasPrefix("The service did not start;") == (presence == .activatable))
  }

  @Test(.enabled(if: Rig.isRoot, "unmounts /proc")) func `programs read their arguments without /proc`() throws {
    let script = "umount -l /proc && exec \"$1\" --version"
    for program in ["geopublicist", "geopublicistd"] {
      let result = try run(["unshare", "--mount", "sh", "-c", script, "sh", Rig.product(program)])
      #expect(result.standardOutput == "\(program) \(ProgramVersion.current)\n", "\(result.standardError)")
    }
  }

  @Test func `the command exits with 4 if GeoClue is not installed`() throws {
    let bus = try PrivateBus(.system)
    let service = try Service(.system, on: bus)
    let result = try CommandRun.finished(["locate"], on: bus)
    #expect(result.exit == .status(4))
    #expect(result.standardError.contains("geoclue-2.0"))
    #expect(service.isRunning)
  }

  @Test func `locate exits with 5 if no fix arrives before the timeout`() throws {
    let machine = try CommandFixture()
    let result = try machine.finished(["locate", "--timeout", "500ms"])
    #expect(result.exit == .status(5))
    let watch = try machine.finished(["watch", "--duration", "500ms"])
    #expect(watch.exit == .status(5))
  }

  @Test func `the command exits with 4 if the service does not answer`() throws {
    let machine = try CommandFixture()
    machine.service.signal(SIGSTOP)
    let result = try machine.finished(["locate", "--timeout", "1ms"])
    #expect(result.exit == .status(4))
    #expect(result.standardError.hasPrefix("geopublicist: The service did not answer: "))
    machine.service.signal(SIGCONT)
  }

  @Test func `Ctrl-C ends a command with status 130`() throws {
    let machine = try CommandFixture()
    let locate = try machine.started(["locate"])
    try eventually("GeoClue is asked") { try !machine.geoclue.clients().isEmpty }
    locate.signal(SIGINT)
    #expect(try locate.waitForExit() == .status(130))
  }
}
