// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// The end of a daemon that nobody needs.
@Suite(.serialized) struct IdleExitTests {
  private let bus: PrivateBus
  private let directory = TemporaryDirectory()

  init() throws { bus = try PrivateBus(.system) }

  @Test func `the service exits when idle and stays while in use`() throws {
    let consumer = try ConsumerProgram(on: bus)
    let daemon = try daemon(idle: "1.5")
    let path = try consumer.subscribe()
    try always("it stays for a subscription", for: .seconds(3)) { daemon.isRunning }
    try consumer.tell(path, "Close")
    #expect(try daemon.waitForExit(within: .seconds(5)) == .status(0))
  }

  @Test func `the service stays for a pending call`() throws {
    let geoclue = try FakeGeoClue(on: bus)
    try geoclue.tell(["fix": .null])
    let consumer = try ConsumerProgram(on: bus)
    let daemon = try daemon(idle: "1.5")
    let answer = try consumer.location(["timeout": .variant("u", 4000)])
    #expect(answer.errorName == "\(Daemon.name).Error.Timeout")
    #expect(try daemon.waitForExit(within: .seconds(5)) == .status(0))
  }

  @Test func `D11: without a runtime directory it stays until the cells that it has shown may change`() throws {
    let geoclue = try FakeGeoClue(on: bus)
    let client = try ConsumerProgram(on: bus)
    let daemon = try daemon(idle: "0.5")
    try geoclue.fix(latitude: 52)
    _ = try client.location(["accuracy": .variant("s", "country")]).arguments()
    try always("it stays", for: .seconds(2)) { daemon.isRunning }
  }

  @Test func `D11: the next service reports the same cell`() throws {
    let geoclue = try FakeGeoClue(on: bus)
    let client = try ConsumerProgram(on: bus)
    try geoclue.fix(latitude: 52)
    var told: [JSON?] = []
    for latitude in [52.0, 48.0] {
      let daemon = try daemon(idle: "0.5", environment: ["RUNTIME_DIRECTORY": directory.path])
      try geoclue.fix(latitude: latitude)
      let options: JSON = ["accuracy": .variant("s", "country"), "maximum-age": .variant("u", 0)]
      let location = try client.location(options).arguments()[0]
      told += location.keys.filter { $0 != "Age" }.map { location[$0] }
      #expect(try daemon.waitForExit(within: .seconds(10)) == .status(0))
    }
    #expect(!told.isEmpty && told.prefix(told.count / 2) == told.suffix(told.count / 2))
    let mode = try FileManager.default.attributesOfItem(atPath: "\(directory.path)/cells")[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func `an idle timeout of zero means never`() throws {
    let daemon = try daemon(idle: "0")
    try always("it stays", for: .seconds(1)) { daemon.isRunning }
  }

  @Test func `no call is lost between idle exit and the next start`() throws {
    let result = try run(
      [Rig.python, Rig.file("activation-race.py"), Rig.product("geopublicistd"), "150"], within: .seconds(120))
    let report = try #require(JSON(line: result.standardOutput), "\(result.standardError)")
    #expect(report["answered"] == 150)
    #expect(try #require(report["processes"]?.integer) > 20, "there was a race")
  }

  private func daemon(idle: String, environment: [String: String] = [:]) throws -> Daemon {
    let file = directory.file("daemon.conf")
    try "[Service]\nidle-timeout=\(idle)\n".write(toFile: file, atomically: true, encoding: .utf8)
    return try Daemon(.system, on: bus, options: ["--config", file], environment: environment)
  }
}
