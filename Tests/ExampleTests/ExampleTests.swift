// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// Every example through the same scenario: the real GeoClue, the service, and foreign languages.
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
  private func walk(_ process: ChildProcess, expecting expected: [String], in machine: Machine) throws {
    var said: [String] = []
    for place in scenario["track"]?.array ?? [] {
      let (latitude, longitude) = (place[0]?.number ?? 0, place[1]?.number ?? 0)
      // As a receiver: again and again, until GeoClue has taken it and the consumer has said what it had to say.
      let line = String(format: "location %.4f %.4f exact", latitude, longitude)
      try eventually("\(line) from \(process.name): \(process.standardError)", within: .seconds(20)) {
        said += process.newLines()
        if process.exited != nil { return true }
        // A consumer of one location leaves when it has come, and GeoClue reads no more.
        guard machine.geoclue.receiver.isConnected else { return false }
        try machine.geoclue.receiver.write(GGASentence(latitude: latitude, longitude: longitude))
        usleep(50_000)
        said += process.newLines()
        return !expected.contains(line) || said.contains(line)
      }
    }
    #expect(try process.waitForExit() == .status(0), "\(process.standardError)")
    said += process.newLines()
    // The status is reported when it is decided and once after the start: a slow consumer hears it twice.
    let different = said.indices.filter { $0 == 0 || said[$0] != said[$0 - 1] }.map { said[$0] }
    #expect(different == expected)
  }

  @Test(arguments: Consumer.complete) func `every language follows the scenario`(consumer: Consumer) throws {
    let machine = try Machine()
    let agent = consumer.isInProcess ? try DesktopAgent(at: machine.bus.address) : nil
    defer { agent?.kill() }
    let process = try consumer.start(on: machine.bus, strings("arguments"), in: directory)
    let expected = strings("watch").filter { !consumer.isTaciturn || $0.hasPrefix("location") }
    try walk(process, expecting: expected, in: machine)
  }

  @Test(arguments: ["once_busctl.sh", "once_gdbus.sh"]) func `the shell gets one location`(script: String) throws {
    let machine = try Machine()
    let process = try ChildProcess([Self.file("shell/\(script)"), machine.bus.address, "exact"])
    try walk(process, expecting: strings("once"), in: machine)
  }

  /// The programs that the documentation shows.
  @Test(arguments: Consumer.short) func `short programs print each fix`(consumer: Consumer) throws {
    let machine = try Machine()
    let process = try consumer.start(on: machine.bus, [], in: directory)
    for latitude in [52.5, 52.75] {
      try machine.geoclue.receiver.write(GGASentence(latitude: latitude, longitude: 13.25))
      try eventually("\(latitude) from \(process.name): \(process.standardError)") {
        process.standardOutput.hasSuffix("\(latitude) 13.25\n")
      }
    }
    #expect(process.exited == nil && process.standardError.isEmpty)
  }
}
