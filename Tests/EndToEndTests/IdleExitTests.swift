// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// The end of a daemon that nobody needs.
@Suite(.serialized) struct IdleExitTests {
  @Test func itEndsWhenNobodyUsesItAndStaysWhileSomebodyDoes() throws {
    let bus = try PrivateBus(.system)
    let consumer = try ConsumerProgram(on: bus)
    let daemon = try daemon(on: bus, idle: "1.5")
    let path = try consumer.subscribe()
    try always("it stays for a subscription", for: .seconds(3)) { daemon.isRunning }
    try consumer.tell(path, "Close")
    #expect(try daemon.waitForExit(within: .seconds(5)) == .status(0))
  }

  @Test func itStaysForACallThatWaits() throws {
    let bus = try PrivateBus(.system)
    let geoclue = try FakeGeoClue(on: bus)
    try geoclue.tell(["fix": .null])
    let consumer = try ConsumerProgram(on: bus)
    let daemon = try daemon(on: bus, idle: "1.5")
    let answer = try consumer.location(["timeout": .variant("u", 4000)])
    #expect(answer.errorName == "\(Daemon.name).Error.Timeout")
    #expect(try daemon.waitForExit(within: .seconds(5)) == .status(0))
  }

  @Test func zeroIsNever() throws {
    let bus = try PrivateBus(.system)
    let daemon = try daemon(on: bus, idle: "0")
    try always("it stays", for: .seconds(1)) { daemon.isRunning }
  }

  @Test func noCallIsLostBetweenTheEndOfOneAndTheStartOfTheNext() throws {
    let result = try run(
      [Rig.python, Rig.file("activation-race.py"), Rig.product("geopublicistd"), "150"], within: .seconds(120))
    let report = try #require(JSON(line: result.standardOutput), "\(result.standardError)")
    #expect(report["answered"] == 150)
    #expect(try #require(report["processes"]?.integer) > 20, "there was a race")
  }

  private func daemon(on bus: PrivateBus, idle: String) throws -> Daemon {
    let file = FileManager.default.temporaryDirectory.appending(path: "geopublicist-\(UUID()).conf").path()
    try "[Service]\nidle-timeout=\(idle)\n".write(toFile: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: file) }
    return try Daemon(.system, on: bus, options: ["--config", file])
  }
}
