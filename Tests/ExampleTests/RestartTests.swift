// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// Programs written after the manual's recipe keep showing the location when the service or GeoClue is killed.
@Suite(.serialized) struct RestartTests {
  private let latitudes = [52.5, 52.51, 52.52, 52.53]

  @Test(arguments: Consumer.allCases)
  func `the display survives kill -9 of the service and of GeoClue, and no signal comes twice`(
    consumer: Consumer
  ) throws {
    let machine = try Machine()
    let agent = consumer.isInProcess ? try DesktopAgent(at: machine.bus.address) : nil
    defer { agent?.kill() }
    let directory = TemporaryDirectory()
    // More than it will get, since the first location after a restart may be one that it has shown.
    let process = try consumer.start(on: machine.bus, ["exact", "50", "9"], in: directory)
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
    if !consumer.isTaciturn { #expect(lines.count { $0.hasPrefix("authorization") } == 1, "\(lines)") }
  }

  @Test func `a program that was there before the service follows it once it has come`() throws {
    let bus = try PrivateBus(.system)
    let geoclue = try RealGeoClue(on: bus)
    let processes = try Consumer.short.map { consumer in try consumer.start(on: bus, [], in: TemporaryDirectory()) }
    let service = try Daemon(.system, on: bus)
    for process in processes {
      try eventually("a location from \(process.name)", within: .seconds(30)) {
        if geoclue.receiver.isConnected { try geoclue.receiver.write(GGASentence(latitude: 52.5, longitude: 13.25)) }
        return process.standardOutput == "52.5 13.25\n"
      }
    }
    #expect(service.isRunning)
  }

  /// The latitudes that a consumer has shown.
  private func shown(in lines: [String]) -> [Double] {
    lines.compactMap { line in line.split(separator: " ").lazy.compactMap { Double($0) }.first }
  }
}
