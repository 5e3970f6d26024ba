// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistLocationModel
import GeopublicistTestSupport
import Testing

@testable import geopublicist

/// The command with another program instead of the service. On a session bus, any program of the user can take its
/// name.
@Suite(.serialized) struct HostileServiceTests {
  private static nonisolated let commands = [
    ["status"], ["locate"], ["locate", "--format", "{level} {source} {description}"], ["watch"], ["authorize"],
    ["list"],
    ["list", "--format", "{desktop-id} {level} {kind}"], ["record", "-", "-f", "gpx"], ["status", "--json"],
    ["locate", "--json"], ["watch", "--json"], ["list", "--json"],
  ]

  private func service(_ mode: String, on bus: PrivateBus) throws -> ChildProcess {
    let service = try ChildProcess([Rig.python, Rig.file("hostile-service.py"), bus.address, mode])
    try eventually("it owns the name", seen: service.standardError) { service.standardOutput.contains("owner") }
    return service
  }

  /// Whether a text has no character that could control a terminal.
  private func isHarmless(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.isPrintable || $0 == "\n" || $0 == "\t" }
  }

  @Test(arguments: ["answers", "errors", "subscription"])
  func `no text from the service can control the terminal or forge a line`(mode: String) throws {
    let bus = try PrivateBus(.session)
    let service = try service(mode, on: bus)
    for command in Self.commands {
      let result = try CommandRun.finished(command, on: bus)
      #expect(isHarmless(result.standardOutput), "\(command): \(result.standardOutput.debugDescription)")
      #expect(isHarmless(result.standardError), "\(command): \(result.standardError.debugDescription)")
      let lines = result.standardError.split(separator: "\n")
      #expect(!lines.contains { $0.hasPrefix("geopublicist: FAKE") || $0.hasPrefix("FAKE") }, "\(command): \(lines)")
      if command.contains("--json") {
        #expect(result.objects.count == result.standardOutput.split(separator: "\n").count)
      }
    }
    #expect(service.exited == nil)
  }

  /// Regression: they ended, and reported each refusal twice.
  @Test(arguments: [["watch", "--count", "3"], ["record", "-", "-f", "gpx", "--count", "3"]])
  func `a command continues after a restarted service has refused it at first`(command: [String]) throws {
    let bus = try PrivateBus(.session)
    let service = try service("restart", on: bus)
    let result = try CommandRun.finished(command, on: bus)
    #expect(result.succeeded, "\(result.standardError)")
    let refusals = result.standardError.split(separator: "\n").filter { $0.hasSuffix("try again from the program") }
    #expect(refusals.count == 2, "\(result.standardError)")
    for latitude in ["53.5", "54.5", "55.5"] { #expect(result.standardOutput.contains(latitude)) }
    #expect(service.exited == nil)
  }

  @Test func `monitor prints no control characters from the service on a terminal`() throws {
    let bus = try PrivateBus(.session)
    let service = try service("subscription", on: bus)
    let monitor = try CommandRun.started(["monitor", "--listen"], on: bus)
    try eventually("the subscription is closed", seen: monitor.output) { monitor.standardOutput.contains(" Closed ") }
    #expect(isHarmless(monitor.standardOutput) && isHarmless(monitor.standardError))
    #expect(monitor.standardOutput.contains(" Closed unknown\n"))
    #expect(service.exited == nil)
  }

  @Test func `a location that arrives together with the last one to record does not change the recording`() throws {
    let bus = try PrivateBus(.session)
    let service = try service("subscription", on: bus)
    let directory = TemporaryDirectory()
    let path = directory.file("track.gpx")
    let result = try CommandRun.finished(["record", path, "--count", "1"], on: bus)
    #expect(result.standardOutput == "\(path): 1 fix, 0 m\n")
    #expect(service.exited == nil)
  }

  @Test func `values that the contract does not define are printed as unknown`() throws {
    let bus = try PrivateBus(.session)
    let service = try service("answers", on: bus)
    #expect(try CommandRun.finished(["locate"], on: bus).standardOutput.contains("\nLevel: unknown\n"))
    #expect(try CommandRun.finished(["authorize"], on: bus).standardOutput.hasPrefix("unknown\n"))
    let status = try CommandRun.finished(["status"], on: bus).standardOutput
    #expect(status.contains("\nGeoClue: unknown") && status.contains("\nAuthorization: unknown"))
    #expect(service.exited == nil)
  }

  @Test func `JSON output escapes unprintable characters`() {
    #expect(JSONText.quoted("a\u{1B}\u{202E}\u{E0001}ä") == #""a\u001b\u202e\udb40\udc01ä""#)
  }
}
