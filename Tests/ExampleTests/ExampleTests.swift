// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// Runs the examples in all languages through the same scenario, with the real GeoClue and the service.
@Suite(.serialized) struct ExampleTests {
  private let directory = TemporaryDirectory()
  private let scenario: JSON

  init() throws {
    let text = try String(contentsOfFile: Self.file("scenario.json"), encoding: .utf8)
    scenario = try #require(JSON(line: text))
  }

  private static func file(_ name: String) -> String { Rig.sourceFile("Examples/\(name)") }

  private func strings(_ name: String) -> [String] { scenario[name]?.array?.compactMap(\.string) ?? [] }

  /// Plays the scenario while an example listens, and checks the example's output.
  private func walk(_ process: ChildProcess, expecting expected: [String], in machine: ExampleFixture) throws {
    var said: [String] = []
    for place in scenario["track"]?.array ?? [] {
      let (latitude, longitude) = (place[0]?.number ?? 0, place[1]?.number ?? 0)
      // Like a receiver, writes repeatedly until GeoClue has read the fix and the example has printed it.
      let line = String(format: "location %.4f %.4f exact", latitude, longitude)
      try eventually("\(line) from \(process.name): \(process.standardError)", within: .seconds(20)) {
        said += process.newLines()
        if process.exited != nil { return true }
        // An example that prints one location exits after it, and GeoClue then reads no more sentences.
        guard machine.geoclue.receiver.isConnected else { return false }
        machine.geoclue.receiver.offer(GGASentence(latitude: latitude, longitude: longitude))
        usleep(50_000)
        said += process.newLines()
        return !expected.contains(line) || said.contains(line)
      }
    }
    #expect(try process.waitForExit() == .status(0), "\(process.standardError)")
    said += process.newLines()
    // The status is reported when it is decided and once after the start: a slow example receives it twice.
    let different = said.indices.filter { $0 == 0 || said[$0] != said[$0 - 1] }.map { said[$0] }
    #expect(different == expected)
  }

  @Test(arguments: ExampleProgram.complete) func `each example prints what the scenario expects`(
    example: ExampleProgram
  ) throws {
    try example.program(in: directory)
    let machine = try ExampleFixture()
    let agent = example.isInProcess ? try DesktopAgent(at: machine.bus.address) : nil
    defer { agent?.kill() }
    let process = try example.start(on: machine.bus, strings("arguments"), in: directory)
    let expected = strings("watch").filter { !example.isTaciturn || $0.hasPrefix("location") }
    try walk(process, expecting: expected, in: machine)
  }

  @Test func `a program written for version 1.1 works unchanged`() throws {
    let machine = try ExampleFixture()
    let program = [Rig.python, Rig.file("client-1.1.py"), machine.bus.address]
    try walk(ChildProcess(program + strings("arguments")), expecting: strings("watch"), in: machine)
  }

  @Test(arguments: ["once_busctl.sh", "once_gdbus.sh"]) func `each shell script prints one location`(script: String)
    throws
  {
    let machine = try ExampleFixture()
    let process = try ChildProcess([Self.file("shell/\(script)"), machine.bus.address, "exact"])
    try walk(process, expecting: strings("once"), in: machine)
  }

  /// The programs that the documentation shows.
  @Test(arguments: ExampleProgram.short) func `each short program prints every fix`(example: ExampleProgram) throws {
    let machine = try ExampleFixture()
    let process = try example.start(on: machine.bus, [], in: directory)
    for latitude in [52.5, 52.502] {
      try machine.geoclue.receiver.write(GGASentence(latitude: latitude, longitude: 13.25))
      try eventually("\(latitude) from \(process.name): \(process.standardError)") {
        process.standardOutput.hasSuffix("\(latitude) 13.25\n")
      }
    }
    #expect(process.exited == nil && process.standardError.isEmpty)
  }
}

/// Programs written after the manual's recipe keep showing the location when the service or GeoClue is killed.
@Suite(.serialized) struct RestartTests {
  private let latitudes = [52.5, 52.51, 52.52, 52.53]

  @Test(arguments: ExampleProgram.allCases)
  func `examples continue after kill -9 of the service and of GeoClue, and print no location twice`(
    example: ExampleProgram
  ) throws {
    let directory = TemporaryDirectory()
    try example.program(in: directory)
    let machine = try ExampleFixture()
    let agent = example.isInProcess ? try DesktopAgent(at: machine.bus.address) : nil
    defer { agent?.kill() }
    // The count is more than will arrive, because the first location after a restart may be one that it has already
    // shown.
    let process = try example.start(on: machine.bus, ["exact", "50", "9"], in: directory)
    var lines: [String] = []

    func walk(to latitude: Double) throws {
      try machine.stand(latitude, 13.4, until: "\(latitude) from \(process.name): \(process.standardError)") {
        lines += process.newLines()
        return shown(in: lines).last == latitude
      }
    }

    try walk(to: latitudes[0])
    try machine.restartService()
    try walk(to: latitudes[1])
    try machine.geoclue.restart()
    try agent?.waitUntilRegistered(times: 2)
    try walk(to: latitudes[2])
    try walk(to: latitudes[3])

    #expect(process.exited == nil, "\(process.standardError)")
    let all = shown(in: lines)
    #expect(all.indices.filter { $0 == 0 || all[$0] != all[$0 - 1] }.map { all[$0] } == latitudes, "\(lines)")
    for latitude in latitudes.dropFirst() { #expect(all.count { $0 == latitude } == 1, "\(latitude) in \(lines)") }
    // In the process itself, access ends while the agent has not registered again, and returns unchanged.
    let authorizations = lines.filter { $0.hasPrefix("authorization") }
    let mostAuthorizations = example.isInProcess ? 2 : 1
    if !example.isTaciturn {
      #expect(Set(authorizations).count == 1 && authorizations.count <= mostAuthorizations, "\(lines)")
    }
  }

  /// Regression: the service had kept the subscription, so that each location was shown twice.
  @Test(arguments: ExampleProgram.allCases.filter { !$0.isInProcess })
  func `examples have one subscription after the bus has disconnected the service`(example: ExampleProgram) throws {
    let directory = TemporaryDirectory()
    try example.program(in: directory)
    let machine = try ExampleFixture(broker: .dbusBroker)
    let client = try ServiceClient(on: machine.bus)
    let process = try example.start(on: machine.bus, ["exact", "50", "9"], in: directory)
    var lines: [String] = []
    for latitude in latitudes {
      try machine.stand(latitude, 13.4, until: "\(latitude) from \(process.name): \(process.standardError)") {
        lines += process.newLines()
        return shown(in: lines).last == latitude
      }
      if latitude == latitudes[0] {
        // Headers at which libdbus leaves the bus.
        let attack = [
          Rig.python, Rig.sourceFile("Tests/Fuzz/Bus/attack.py"), machine.bus.address, Service.name, "0", "1",
          "headers",
        ]
        #expect(try run(attack, within: .seconds(60)).succeeded)
        try eventually("the service returns") { machine.service.log.contains("the service is available again as") }
        try eventually("one subscription", turn: rest) { try client.subscriptions().count == 1 }
      }
    }
    #expect(process.exited == nil, "\(process.standardError)")
    // The first location of the new subscription may be the last one of the old.
    #expect(shown(in: lines).drop { $0 == latitudes[0] } == latitudes[1...], "\(lines)")
  }

  @Test func `a program that starts before the service receives locations when the service has started`() throws {
    let bus = try PrivateBus(.system)
    let geoclue = try RealGeoClue(on: bus)
    let processes = try ExampleProgram.short.map { example in try example.start(on: bus, [], in: TemporaryDirectory()) }
    let service = try Service(.system, on: bus)
    for process in processes {
      try eventually("a location from \(process.name)", within: .seconds(30)) {
        geoclue.receiver.offer(GGASentence(latitude: 52.5, longitude: 13.25))
        return process.standardOutput == "52.5 13.25\n"
      }
    }
    #expect(service.isRunning)
  }

  /// The latitudes that an example has shown.
  private func shown(in lines: [String]) -> [Double] {
    lines.compactMap { line in line.split(separator: " ").lazy.compactMap { Double($0) }.first }
  }
}
