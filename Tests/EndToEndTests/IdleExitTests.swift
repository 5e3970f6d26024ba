// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// The end of a daemon that nobody needs.
@Suite(.serialized) struct IdleExitTests {
  @Test func `the service exits when idle and stays while in use`() throws {
    let bus = try PrivateBus(.system)
    let consumer = try ConsumerProgram(on: bus)
    let daemon = try daemon(on: bus, idle: "1.5")
    let path = try consumer.subscribe()
    try always("it stays for a subscription", for: .seconds(3)) { daemon.isRunning }
    try consumer.tell(path, "Close")
    #expect(try daemon.waitForExit(within: .seconds(5)) == .status(0))
  }

  @Test func `the service stays for a pending call`() throws {
    let bus = try PrivateBus(.system)
    let geoclue = try FakeGeoClue(on: bus)
    try geoclue.tell(["fix": .null])
    let consumer = try ConsumerProgram(on: bus)
    let daemon = try daemon(on: bus, idle: "1.5")
    let answer = try consumer.location(["timeout": .variant("u", 4000)])
    #expect(answer.errorName == "\(Daemon.name).Error.Timeout")
    #expect(try daemon.waitForExit(within: .seconds(5)) == .status(0))
  }

  @Test func `D11: without a runtime directory it stays until the cells that it has shown may change`() throws {
    let bus = try PrivateBus(.system)
    let geoclue = try FakeGeoClue(on: bus)
    let client = try ConsumerProgram(on: bus)
    let daemon = try daemon(on: bus, idle: "0.5")
    try geoclue.fix(latitude: 52, longitude: 13)
    guard case .reply = try client.location(["accuracy": .variant("s", "country")]) else {
      Issue.record("there is no location")
      return
    }
    try always("it stays", for: .seconds(2)) { daemon.isRunning }
  }

  @Test func `D11: the next service reports the same cell`() throws {
    let bus = try PrivateBus(.system)
    let geoclue = try FakeGeoClue(on: bus)
    let folder = try TemporaryDirectory()
    let client = try ConsumerProgram(on: bus)
    try geoclue.fix(latitude: 52, longitude: 13)
    var told: [BusClient.Answer] = []
    for latitude in [52.0, 48.0] {
      let daemon = try daemon(on: bus, idle: "0.5", environment: ["RUNTIME_DIRECTORY": folder.path])
      try geoclue.fix(latitude: latitude, longitude: 13)
      var answer = try client.location(["accuracy": .variant("s", "country"), "maximum-age": .variant("u", 0)])
      if case .reply(let values) = answer, case .object(var location)? = values.first {
        location["Age"] = nil
        answer = .reply([.object(location)])
      }
      told.append(answer)
      #expect(try daemon.waitForExit(within: .seconds(10)) == .status(0))
    }
    #expect(told[0] == told[1])
    let mode = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/cells")[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func `an idle timeout of zero means never`() throws {
    let bus = try PrivateBus(.system)
    let daemon = try daemon(on: bus, idle: "0")
    try always("it stays", for: .seconds(1)) { daemon.isRunning }
  }

  @Test func `no call is lost between idle exit and the next start`() throws {
    let result = try run(
      [Rig.python, Rig.file("activation-race.py"), Rig.product("geopublicistd"), "150"], within: .seconds(120))
    let report = try #require(JSON(line: result.standardOutput), "\(result.standardError)")
    #expect(report["answered"] == 150)
    #expect(try #require(report["processes"]?.integer) > 20, "there was a race")
  }

  private func daemon(on bus: PrivateBus, idle: String, environment: [String: String] = [:]) throws -> Daemon {
    let file = FileManager.default.temporaryDirectory.appending(path: "geopublicist-\(UUID()).conf").path()
    try "[Service]\nidle-timeout=\(idle)\n".write(toFile: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: file) }
    return try Daemon(.system, on: bus, options: ["--config", file], environment: environment)
  }
}
