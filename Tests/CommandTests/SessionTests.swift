// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// The command in the session deployment, where GeoClue itself authorizes the user.
@Suite(.serialized) struct SessionTests {
  private let machine: CommandFixture
  private let agent: DesktopAgent

  init() throws {
    machine = try CommandFixture(.session)
    agent = try #require(machine.agent)
  }

  @Test func `commands work with a service on the session bus`() throws {
    let watch = try machine.started(["watch"])
    try machine.measure(52, for: watch)
    for arguments in [["status"], ["locate"], ["list"], ["authorize"], ["status", "--json"], ["locate", "--json"]] {
      let result = try machine.finished(arguments)
      #expect(result.exit == .status(0) && result.standardError.isEmpty, "\(arguments) \(result.standardError)")
    }
    #expect(watch.standardError.isEmpty && machine.service.isRunning)
  }

  @Test func `record reports that location is off, and continues when location is turned on`() throws {
    let directory = TemporaryDirectory()
    let path = directory.file("walk.gpx")
    try agent.setLevel(0)
    let recorder = try machine.started(["record", path, "--count", "1"])
    try eventually("the cause is reported") { recorder.standardError.contains("Location is turned off for this user") }
    try agent.setLevel(8)
    try machine.measure(52, until: "a fix") { recorder.exited != nil }
    #expect(try recorder.waitForExit() == .status(0))
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("lat=\"52.0000000\""))
  }

  /// Regression: later calls reported a missing agent or a refusal.
  @Test func `a GeoClue that hangs is not reported as a refusal`() throws {
    let directory = TemporaryDirectory()
    machine.geoclue.suspend(true)
    for arguments in [
      ["locate", "--timeout", "4s"], ["watch", "--duration", "4s"], ["locate", "--timeout", "4s"],
      ["record", directory.file("walk.gpx"), "--duration", "4s"],
    ] {
      let result = try machine.finished(arguments)
      #expect(result.exit == .status(4), "\(arguments)")
      #expect(result.standardError.contains("GeoClue does not answer"), "\(arguments) \(result.standardError)")
      #expect(!result.standardError.contains("No location agent is running"), "\(arguments) \(result.standardError)")
    }
  }

  @Test func `authorize exits with 3 while the status is undecided`() throws {
    machine.geoclue.kill()
    let authorize = try machine.finished(["authorize"])
    #expect(authorize.exit == .status(3))
    #expect(!authorize.standardOutput.contains("try again in a few seconds"), "\(authorize.standardOutput)")
  }

  @Test func `watch in a pipe reports each time that location is turned off or on`() throws {
    let watch = try machine.started(["watch"])
    func count(_ text: String) -> Int { watch.standardError.components(separatedBy: text).count - 1 }
    for round in 0..<3 {
      try agent.setLevel(8)
      let before = watch.standardOutput.count
      try machine.measure(52, until: "a fix") { watch.standardOutput.count > before }
      try eventually("recovery \(round)") { count("Receiving locations again") == round }
      try agent.setLevel(0)
      try eventually("outage \(round)", within: .seconds(30)) { count("Location is turned off") == round + 1 }
    }
    let locate = try machine.finished(["locate"])
    #expect(locate.exit == .status(3), "\(locate.standardError)")
    #expect(watch.exited == nil)
    #expect(machine.service.isRunning)
  }

  @Test func `locate explains that no agent is running`() throws {
    agent.kill()
    let locate = try machine.finished(["locate", "--timeout", "60s"])
    #expect(locate.exit == .status(3), "\(locate.standardError)")
    #expect(locate.standardError.contains("No location agent is running"))
    #expect(machine.service.isRunning && machine.geoclue.isRunning)
  }

  @Test func `list --format prints the fields of a template`() throws {
    let watch = try machine.started(["watch", "--desktop-id", "org.example.Map"])
    try eventually("a subscription", within: .seconds(30)) {
      try machine.finished(["list"]).standardOutput.contains("org.example.Map")
    }
    let result = try machine.finished(["list", "--format", "{pid} {program} {desktop-id} {level}"])
    #expect(result.standardOutput == "\(watch.processIdentifier) geopublicist org.example.Map exact\n")
  }
}
