// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// Every example consumer through the same scenario: the real GeoClue, the daemon, and foreign languages.
@Suite(.serialized) struct ExampleTests {
  private let directory = TemporaryDirectory()
  private let scenario: JSON

  init() throws {
    let text = try String(contentsOfFile: Self.file("scenario.json"), encoding: .utf8)
    scenario = try #require(JSON(line: text))
  }

  private static func file(_ name: String) -> String { Rig.sourceFile("Examples/\(name)") }

  private func strings(_ name: String) -> [String] { scenario[name]?.array?.compactMap(\.string) ?? [] }

  /// Walks the scenario's way while a consumer listens, and checks what the consumer says.
  private func walk(
    _ consumer: [String], expecting expected: [String], in machine: Machine, environment: [String: String] = [:]
  ) throws {
    let process = try ChildProcess(consumer, environment: environment)
    var said: [String] = []
    for place in scenario["track"]?.array ?? [] {
      let (latitude, longitude) = (place[0]?.number ?? 0, place[1]?.number ?? 0)
      // As a receiver: again and again, until GeoClue has taken it and the consumer has said what it had to say.
      let line = String(format: "location %.4f %.4f exact", latitude, longitude)
      try eventually("\(line) from \(process.name): \(process.standardError)") {
        said += process.newLines()
        if process.exited != nil { return true }
        // Whoever wants one location leaves when it has come, and GeoClue reads no more.
        guard machine.geoclue.receiver.isConnected else { return false }
        try machine.geoclue.receiver.write(GGASentence(latitude: latitude, longitude: longitude))
        usleep(50_000)
        said += process.newLines()
        return !expected.contains(line) || said.contains(line)
      }
    }
    #expect(try process.waitForExit() == .status(0), "\(process.standardError)")
    said += process.newLines()
    // The status is told when it is decided and once after the start: whoever was slow to start hears it twice.
    let different = said.indices.filter { $0 == 0 || said[$0] != said[$0 - 1] }.map { said[$0] }
    #expect(different == expected)
  }

  private func tool(_ arguments: [String]) throws {
    let result = try run(arguments, within: .seconds(60))
    try #require(result.succeeded, "\(arguments): \(result.standardError)")
  }

  private func flags(_ package: String) throws -> [String] {
    let result = try run(["pkg-config", "--cflags", "--libs", package])
    return result.standardOutput.split(whereSeparator: \.isWhitespace).map(String.init)
  }

  @Test(arguments: [
    ["/usr/bin/python3", "python/watch_gi.py"], ["/usr/bin/python3", "python/watch_dbus.py"],
    ["gjs", "javascript/watch.js"],
  ])
  func interpretedLanguagesFollowTheScenario(program: [String]) throws {
    let machine = try Machine()
    try walk(
      [program[0], Self.file(program[1]), machine.bus.address] + strings("arguments"), expecting: strings("watch"),
      in: machine)
  }

  @Test func cWithGDBusAndGeneratedCode() throws {
    let machine = try Machine()
    let interfaces = ["org.geopublicist.Location1", "org.geopublicist.Location1.Subscription"]
    try tool(
      [
        "gdbus-codegen", "--interface-prefix", "org.geopublicist.", "--c-namespace", "Geo", "--output-directory",
        directory.path, "--generate-c-code", "location1",
      ] + interfaces.map { Rig.sourceFile("dbus/\($0).xml") })
    let program = directory.file("watch_gdbus")
    try tool(
      [
        "cc", "-Wall", "-Werror", "-I", directory.path, "-o", program, Self.file("c/watch_gdbus.c"),
        directory.file("location1.c"),
      ]
        + flags("gio-unix-2.0"))
    try walk([program, machine.bus.address] + strings("arguments"), expecting: strings("watch"), in: machine)
  }

  @Test func cWithSDBus() throws {
    let machine = try Machine()
    let program = directory.file("watch_sdbus")
    try tool(["cc", "-Wall", "-Werror", "-o", program, Self.file("c/watch_sdbus.c")] + flags("libsystemd"))
    try walk([program, machine.bus.address] + strings("arguments"), expecting: strings("watch"), in: machine)
  }

  @Test(arguments: ["once_busctl.sh", "once_gdbus.sh"]) func theShellGetsOneLocation(script: String) throws {
    let machine = try Machine()
    try walk(
      [Self.file("shell/\(script)"), machine.bus.address, "exact"], expecting: strings("once"), in: machine)
  }

  @Test func theShellFollowsWithTheCommand() throws {
    let machine = try Machine()
    let path = "\((Rig.product("geopublicist") as NSString).deletingLastPathComponent):/usr/bin:/bin"
    try walk(
      [Self.file("shell/watch_command.sh"), machine.bus.address] + strings("arguments"),
      expecting: strings("watch").filter { $0.hasPrefix("location") }, in: machine, environment: ["PATH": path])
  }

  /// What the README shows.
  @Test(arguments: ["follow.py", "follow.js", "Follow.swift"]) func shortProgramsPrintEachFix(name: String) throws {
    let file = Self.file("short/\(name)")
    let programs = [
      "follow.py": [Rig.python, file], "follow.js": ["gjs", file],
      "Follow.swift": ["stdbuf", "-oL", Rig.product("follow-example")],
    ]
    let machine = try Machine()
    let agent = try DesktopAgent(at: machine.bus.address)
    try agent.waitUntilRegistered()
    let process = try ChildProcess(
      #require(programs[name]), environment: ["DBUS_SYSTEM_BUS_ADDRESS": machine.bus.address])
    for latitude in [52.5, 52.75] {
      try machine.geoclue.receiver.write(GGASentence(latitude: latitude, longitude: 13.25))
      try eventually("\(latitude) from \(process.name): \(process.standardError)") {
        process.standardOutput.hasSuffix("\(latitude) 13.25\n")
      }
    }
    #expect(process.exited == nil && process.standardError.isEmpty)
  }

  @Test(arguments: [[], ["--observable"]]) func swiftInItsOwnProcess(option: [String]) throws {
    let machine = try Machine()
    let agent = try DesktopAgent(at: machine.bus.address)
    try agent.waitUntilRegistered()
    try walk(
      [Rig.product("location-example"), machine.bus.address] + strings("arguments") + option,
      expecting: strings("watch"), in: machine)
  }
}

/// A bus with the real GeoClue and the daemon of the system deployment.
private final class Machine {
  let bus: PrivateBus
  let geoclue: RealGeoClue
  let daemon: Daemon

  init() throws {
    bus = try PrivateBus(.system)
    geoclue = try RealGeoClue(on: bus)
    daemon = try Daemon(.system, on: bus)
  }
}
