// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

@Suite(.serialized) struct AlmanacCommandTests {
  private let machine: CommandFixture

  init() throws { machine = try CommandFixture() }

  @Test func `almanac prints rows, a JSON object, a template or JSON for waybar`() throws {
    let first = try machine.started(["almanac"])
    try machine.measure(52.5, 13.25)
    #expect(try first.waitForExit() == .status(0), "\(first.standardError)")
    #expect(first.standardOutput.hasPrefix("Phase: ") && first.standardOutput.contains("\nTime zone: Europe/Berlin\n"))
    #expect(first.standardOutput.hasSuffix(" (DE)\n"), "\(first.standardOutput)")
    let json = try #require(JSON(line: machine.finished(["almanac", "--json"]).standardOutput))
    #expect(json["TimeZone"] == "Europe/Berlin" && json["Forecast"]?.array?.first?[0] == json["Phase"])
    let zone = try machine.finished(["almanac", "--format", "{zone} {country}"])
    #expect(zone.standardOutput == "Europe/Berlin DE\n")
    let phase = json["Phase"]?.string ?? ""
    let waybar = try #require(JSON(line: machine.finished(["almanac", "-f", "waybar"]).standardOutput))
    #expect(waybar["class"]?.string == phase)
    let text = first.standardOutput + zone.standardOutput + json.line
    for secret in ["52.", "13.2"] { #expect(!text.contains(secret)) }
  }

  @Test func `almanac --follow prints the current almanac and exits with 0 on Ctrl-C`() throws {
    let follow = try machine.started(["almanac", "--follow", "--format", "{phase}", "--night-offset=-30min"])
    try machine.measure(52.5, 13.25)
    try eventually("a line", seen: follow.standardError) { follow.standardOutput.hasSuffix("\n") }
    #expect(follow.standardOutput.split(separator: "\n").count == 1)
    follow.signal(SIGINT)
    #expect(try follow.waitForExit() == .status(0))
  }

  @Test func `after a refusal, waybar no longer shows the last place and phase`() throws {
    let session = try CommandFixture(.session)
    let place = try session.started(["watch", "--accuracy", "street", "--format", "waybar"])
    let daylight = try session.started(["almanac", "--follow", "--format", "waybar"])
    func last(_ module: ChildProcess) -> JSON? { JSON.lines(module.standardOutput).last }
    try session.measure(52.5, until: "both modules have a line") { last(place) != nil && last(daylight) != nil }
    #expect(last(place)?["text"]?.string?.contains("52") == true && last(daylight)?["class"] != "denied")
    try session.agent?.setLevel(0)
    try eventually("both are replaced", seen: place.output + daylight.output) {
      last(place)?["class"] == "denied" && last(daylight)?["class"] == "denied"
    }
    #expect(last(place)?["text"] == "" && last(daylight)?["text"] == "")
    #expect(last(place)?["tooltip"]?.string?.isEmpty == false)
  }

  @Test(arguments: [
    ["--twilight", "noon"], ["--day-offset", "7h"], ["--night-offset", "late"], ["--format", "{latitude}"], ["Berlin"],
  ])
  func `almanac refuses unknown options and arguments`(arguments: [String]) throws {
    let run = try machine.finished(["almanac"] + arguments)
    #expect(run.exit == .status(2) && run.standardOutput.isEmpty && !run.standardError.isEmpty)
  }
}
