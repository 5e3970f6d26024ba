// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

@testable import geopublicist

/// `geopublicist region` against the service and the real GeoClue.
@Suite(.serialized) struct RegionCommandTests {
  private let machine: CommandFixture

  init() throws { machine = try CommandFixture() }

  /// Keeps the receiver on, so that each sentence reaches the region.
  private func listener() throws -> ServiceClient {
    let listener = try ServiceClient(on: machine.bus)
    _ = try listener.subscribeAndStart()
    return listener
  }

  private func events(_ command: ChildProcess) -> [String] {
    command.standardOutput.split(separator: "\n").map { line in
      line.split(separator: " ").dropFirst().joined(separator: " ")
    }
  }

  private static let circle = ["region", "52.5,13,1km", "--confirm", "100ms"]

  @Test func `each event prints a line and runs the command of --exec`() throws {
    let listener = try listener()
    let directory = TemporaryDirectory()
    let file = directory.file("events")
    let region = try CommandRun.started(
      Self.circle + ["--exec", "echo $GEOPUBLICIST_EVENT $GEOPUBLICIST_STATE $GEOPUBLICIST_GAP >>'\(file)'"],
      on: machine.bus)
    let expected = ["determined outside -", "entered inside -", "exited outside -"]
    for (index, latitude) in [53, 52.5, 53].enumerated() {
      try machine.measure(latitude)
      try eventually(expected[index], within: .seconds(20)) { events(region) == Array(expected[...index]) }
    }
    try eventually("the commands have run") {
      (try? String(contentsOfFile: file, encoding: .utf8))
        == "determined outside 0\nentered inside 0\nexited outside 0\n"
    }
    region.signal(SIGINT)
    #expect(try region.waitForExit() == .status(0))
    #expect(region.standardError.isEmpty)
    #expect(listener.connection.uniqueName != "")
  }

  @Test func `--until entered ends immediately if the device is already inside`() throws {
    _ = try listener()
    let region = try machine.started(Self.circle + ["--until", "entered", "--json"])
    try machine.measure(52.5)
    #expect(try region.waitForExit(within: .seconds(20)) == .status(0))
    let event = try #require(JSON(line: region.standardOutput))
    #expect(event["Event"] == "determined" && event["State"] == "inside" && event["Sequence"] == 1)
    #expect(event["Time"]?.string?.hasSuffix("Z") == true && event["Location"] == nil)
  }

  @Test func `region continues after a restart of the service and repeats no event`() throws {
    var listener = try listener()
    let region = try machine.started(Self.circle + ["--json"])
    func told() -> [String] {
      region.standardOutput.split(separator: "\n").compactMap { JSON(line: String($0))?["Event"]?.string }
    }
    try machine.measure(52.5)
    try eventually("the state is determined", within: .seconds(20)) { told() == ["determined"] }
    machine.service.kill()
    try eventually("the outage is reported", within: .seconds(20)) { told() == ["determined", "Interrupted"] }
    let service = try Service(.system, on: machine.bus)
    try eventually("the service is back", within: .seconds(20)) { told() == ["determined", "Interrupted", "Resumed"] }
    listener = try self.listener()
    try machine.measure(52.5001)
    try eventually("the state is confirmed", within: .seconds(20), turn: rest) {
      let all = try listener.subscriptions()
      return all.contains { $0["Kind"]?.content == "region" && $0["Delivered"]?.content == 1 }
    }
    try machine.measure(53)
    try eventually("the exit is reported", within: .seconds(20)) {
      told() == ["determined", "Interrupted", "Resumed", "exited"]
    }
    #expect(service.isRunning)
  }
}
