// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// The subcommands against the service and the real GeoClue.
@Suite(.serialized) struct SubcommandTests {
  private let machine: CommandFixture

  init() throws { machine = try CommandFixture() }

  @Test func `status prints the service's properties`() throws {
    let text = try machine.finished(["status"])
    #expect(text.exit == .status(0))
    #expect(text.standardOutput.contains("\nGeoClue: idle"))
    #expect(text.standardOutput.contains("\nAuthorization: authorized-always"))
    let json = try machine.finished(["status", "--json"])
    let properties = try #require(JSON(line: json.standardOutput))
    #expect(
      properties.keys == [
        "AuthorizationMessage", "AuthorizationReason", "AuthorizationStatus", "AvailableAccuracy", "InUse", "Limits",
        "State", "StateMessage", "StateReason", "Version",
      ])
  }

  @Test func `locate prints a fix and its geo URI`() throws {
    let locate = try machine.started(["locate", "--maximum-age", "0"])
    try machine.measure(52.5, -13.25)
    #expect(try locate.waitForExit() == .status(0))
    #expect(locate.standardOutput.contains("Latitude: 52.5000000°\nLongitude: -13.2500000°\n"))
    #expect(locate.standardOutput.hasSuffix("\ngeo:52.5000000,-13.2500000,34.5;u=0\n"))
    #expect(locate.standardError.isEmpty)
    let json = try machine.finished(["--json", "locate"])
    let location = try #require(JSON(line: json.standardOutput))
    #expect(location["Latitude"]?.number == 52.5 && location["Level"] == "exact" && location["Age"] != nil)
    #expect(location["Timestamp"]?.array?.count == 2)
  }

  @Test func `watch --count 2 prints two fixes and exits`() throws {
    let watch = try machine.started(["watch", "--count", "2"])
    try machine.measure(52)
    try eventually("the first line") { watch.standardOutput.contains(" 52.0000000 13.0000000 0 exact\n") }
    #expect(watch.exited == nil)
    try machine.measure(52.001)
    #expect(try watch.waitForExit() == .status(0))
    #expect(watch.standardOutput.split(separator: "\n").count == 2)
  }

  @Test(arguments: [SIGINT, SIGTERM]) func `watch ends cleanly on Ctrl-C`(signal: Int32) throws {
    let watch = try machine.started(["watch", "--json"])
    try machine.measure(52, for: watch)
    watch.signal(signal)
    #expect(try watch.waitForExit() == .status(0))
    #expect(watch.standardOutput.split(separator: "\n").allSatisfy { JSON(line: String($0)) != nil })
  }

  /// Regression: it ended with its terminal.
  @Test func `watch started with nohup does not end with its terminal`() throws {
    let command = "trap '' HUP; exec \"$1\" --address \"$2\" watch"
    let watch = try ChildProcess(["sh", "-c", command, "-", Rig.product("geopublicist"), machine.bus.address])
    try eventually("the first location") {
      try machine.measure(52)
      return watch.standardOutput.contains(" 52.0000000 ")
    }
    watch.signal(SIGHUP)
    try eventually("another location") {
      try machine.measure(52.001)
      return watch.standardOutput.contains(" 52.0010000 ")
    }
    watch.signal(SIGTERM)
    #expect(try watch.waitForExit() == .status(0))
  }

  @Test func `watch exits without further output if its reader has exited`() throws {
    let command = "\"$1\" --address \"$2\" watch | true; echo \"${PIPESTATUS[0]}\""
    let shell = try ChildProcess(["bash", "-c", command, "-", Rig.product("geopublicist"), machine.bus.address])
    #expect(try shell.waitForExit() == .status(0))
    #expect(shell.standardOutput == "0\n")
  }

  @Test func `a command whose output cannot be written fails`() throws {
    for (redirection, reason) in [("> /dev/full", "No space left on device"), (">&-", "Bad file descriptor")] {
      let command = "exec \"$1\" --address \"$2\" status \(redirection)"
      let result = try run(["sh", "-c", command, "-", Rig.product("geopublicist"), machine.bus.address])
      #expect(result.exit == .status(1), "\(redirection)")
      #expect(result.standardError == "geopublicist: The output cannot be written: \(reason)\n")
    }
  }

  @Test func `a command does not fail if its reader exits after one line`() throws {
    for command in ["status", "--help", "list"] {
      let line = "\"$1\" --address \"$2\" \(command) | head -n 1; echo \"${PIPESTATUS[0]}\""
      let result = try run(["bash", "-c", line, "-", Rig.product("geopublicist"), machine.bus.address])
      #expect(result.standardOutput.hasSuffix("\n0\n") && result.standardError.isEmpty, "\(command)")
    }
  }

  @Test func `watch continues after restarts of the service and reports them`() throws {
    let watch = try machine.started(["watch", "--json", "--count", "3"])
    var service = machine.service
    func lines() -> [JSON] { JSON.lines(watch.standardOutput) }
    for latitude in [52.0, 53] {
      try machine.measure(latitude)
      try eventually("\(latitude)") { lines().last?["Latitude"]?.number == latitude }
      service.kill()
      try eventually("the outage is reported") { lines().last?["Event"] == "Interrupted" }
      service = try Service(.system, on: machine.bus)
      try eventually("the service is back", within: .seconds(20)) {
        try lines().last?["Event"] == "Resumed" && !machine.geoclue.clients().isEmpty
      }
    }
    try machine.measure(54)
    #expect(try watch.waitForExit() == .status(0))
    #expect(lines().compactMap { $0["Latitude"]?.number } == [52, 53, 54])
    #expect(lines().compactMap { $0["Event"] } == ["Interrupted", "Resumed", "Interrupted", "Resumed"])
    #expect(watch.standardError.contains("The service stopped") && watch.standardError.contains("The service is back"))
  }

  @Test func `watch in a pipe reports each exit and each return of GeoClue`() throws {
    let watch = try machine.started(["watch"])
    try machine.measure(52, for: watch)
    for outage in 1...2 {
      machine.geoclue.kill()
      try eventually("outage \(outage)", within: .seconds(20)) {
        watch.standardError.split(separator: "\n").count { $0.contains("GeoClue") } == outage
      }
      try machine.geoclue.restart()
      try machine.measure(52 + Double(outage), until: "recovery \(outage)") {
        watch.standardError.split(separator: "\n").count { $0.hasSuffix("Receiving locations again") } == outage
      }
    }
  }

  @Test func `in a pipe, each command that waits for locations reports why none arrive and when they arrive again`()
    throws
  {
    let directory = TemporaryDirectory()
    machine.geoclue.kill()
    let programs = try [["watch"], ["record", directory.file("walk.gpx")], ["region", "52,13,200m"], ["watch"]].map {
      let program = try machine.started($0)
      try eventually("\($0) reports the cause", within: .seconds(20)) { program.standardError.contains("GeoClue") }
      return program
    }
    try machine.geoclue.restart()
    try machine.measure(52, until: "recovery") {
      programs.allSatisfy { $0.standardError.hasSuffix("Receiving locations again\n") }
    }
    for said in programs.map(\.standardError) { #expect(said.split(separator: "\n").count == 2, "\(said)") }
  }

  @Test func `list shows subscriptions, but no coordinates`() throws {
    let watch = try machine.started(["watch", "--desktop-id", "org.example.Map"])
    try machine.measure(52, for: watch)
    let text = try machine.finished(["list"]).standardOutput.split(separator: "\n")
    #expect(text.count == 2)
    let row = try #require(text.last).split(separator: "\t")
    #expect(row.dropFirst(2).prefix(5) == ["geopublicist", "org.example.Map", "exact", "yes", "1"])
    let json = try machine.finished(["list", "--json"]).standardOutput
    #expect(
      JSON(line: json)?.keys == [
        "Active", "Delivered", "DesktopId", "Kind", "Level", "Path", "ProcessId", "Sender", "Since", "UserId",
      ])
  }

  @Test func `authorize prints the status and its explanation`() throws {
    let text = try machine.finished(["authorize"])
    #expect(text.exit == .status(0))
    #expect(text.standardOutput == "authorized-always\nAccess to the location is allowed\n")
  }

  @Test func `monitor explains each change in a sentence`() throws {
    let monitor = try machine.started(["monitor"])
    for sentence in [
      " Service is running\n", " GeoClue idle: No program follows the location; GeoClue is not used\n",
      " Sources up to exact\n",
      " In use no\n", " Authorization authorized-always: Access to the location is allowed\n",
    ] {
      try eventually("\(sentence) of \(monitor.standardOutput)") { monitor.standardOutput.contains(sentence) }
    }
    machine.geoclue.kill()
    let watch = try machine.started(["watch"])
    let gone =
      " GeoClue unavailable: GeoClue is not installed, or its service is masked; "
      + "install the package geoclue-2.0, or unmask geoclue\n"
    try eventually("the cause is printed") { monitor.standardOutput.contains(gone) }
    #expect(watch.exited == nil)
  }

  @Test func `monitor --listen prints errors`() throws {
    let monitor = try machine.started(["monitor", "--listen"])
    try eventually("GeoClue is used") { machine.geoclue.receiver.isConnected }
    machine.geoclue.kill()
    let line = #/ Error GeoClue [^\n]+\n/#
    try eventually("an error in \(monitor.standardOutput)") { monitor.standardOutput.contains(line) }
    #expect(monitor.exited == nil)
  }

  @Test func `monitor continues after a crash of the service`() throws {
    let monitor = try machine.started(["monitor", "--json"])
    var events: [JSON] = []
    func wait(_ what: String, _ condition: (JSON) -> Bool) throws {
      try eventually(what) {
        events += monitor.newLines().compactMap(JSON.init(line:))
        return events.contains(where: condition)
      }
    }
    try wait("the state at the beginning") { $0["State"] == "idle" }
    try wait("the authorization") { $0["AuthorizationStatus"] == "authorized-always" }
    let watch = try machine.started(["watch"])
    try wait("there is a subscriber") { $0["InUse"] == true }
    watch.signal(SIGINT)
    try wait("there is no subscriber") { $0["InUse"] == false }
    machine.service.kill()
    try wait("the service has exited") { $0["Present"] == false }
    monitor.signal(SIGINT)
    #expect(try monitor.waitForExit() == .status(0))
  }
}
