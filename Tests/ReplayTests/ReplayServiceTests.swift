// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// `geopublicistd --session --replay` through its interface.
@Suite(.serialized) struct ReplayServiceTests {
  private let directory = TemporaryDirectory()

  private func file(_ text: String) throws -> String {
    let path = directory.freshFile("track")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private func gpx(_ latitudes: [Double]) throws -> String {
    let points = latitudes.enumerated().map {
      "<trkpt lat='\($1)' lon='13'><time>2026-01-01T00:00:\(10 + $0)Z</time></trkpt>"
    }
    return try file("<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>")
  }

  /// The first four locations of a subscription.
  private func fixes(on bus: PrivateBus) throws -> [JSON] {
    let client = try BusClient(at: bus.address)
    let made = try client.reply("CreateSubscription", of: Service.name, at: Service.path, signature: "a{sv}", [[:]])
    _ = try client.reply("Start", of: Service.subscription, at: #require(made[0].string), of: Service.name)
    return try client.waitFor(4, "LocationUpdated").prefix(4).map { $0[0] }
  }

  @Test func `the locations of a replayed track are delivered in order and marked as simulated`() throws {
    let bus = try PrivateBus(.session)
    let service = try Service(.session, on: bus, options: ["--replay", gpx([1, 2, 3]), "--speed", "20"])
    let fixes = try fixes(on: bus)
    #expect(fixes.map { $0["Latitude"]?.number } == [1, 2, 3, 3])
    #expect(fixes.allSatisfy { $0["Simulated"] == .variant("b", true) })
    let now = Int64(Date().timeIntervalSince1970)
    #expect(fixes.allSatisfy { abs(($0["Timestamp"]?[0]?.integer ?? 0) - now) < 10 })
    #expect(service.isRunning)
  }

  @Test func `a replay does not advance while there are no subscribers`() throws {
    let bus = try PrivateBus(.session)
    let service = try Service(.session, on: bus, options: ["--replay", gpx([1, 2]), "--speed", "0.05"])
    for _ in 0..<2 {
      let answer = try BusClient(at: bus.address).reply(
        "GetLocation", of: Service.name, at: Service.path, signature: "a{sv}",
        [["maximum-age": .variant("u", 0)]])
      #expect(answer[0]["Latitude"]?.number == 1)
    }
    #expect(service.isRunning)
  }

  @Test func `with --loop, a track is replayed again from its beginning`() throws {
    let bus = try PrivateBus(.session)
    // A location that could not be sent yet is replaced by the next one, here 400 ms later.
    let nmea =
      GGASentence(latitude: 52, longitude: 13).text
      + GGASentence(latitude: 53, longitude: 13, time: Date() + 20).text
    let service = try Service(.session, on: bus, options: ["--replay", file(nmea), "--speed", "50", "--loop"])
    let latitudes = try fixes(on: bus).map { $0["Latitude"]?.number }
    #expect(latitudes == [52, 53, 52, 53])
    #expect(service.isRunning)
  }

  @Test(
    arguments: [
      (["--system", "--replay", "x"], 2), (["--session", "--speed", "2"], 2), (["--session", "--loop"], 2),
      (["--session", "--replay", "x", "--speed", "0"], 2), (["--session", "--replay", "x", "--speed", "nan"], 2),
      (["--session", "--replay", "/nonexistent"], 78), (["--session", "--replay", "/etc/hostname"], 78),
    ] as [([String], Int32)]) func `an invalid option for a replay causes an error and an exit status`(
      options: [String], status: Int32
    ) throws
  {
    let result = try run([Rig.product("geopublicistd")] + options)
    #expect(result.exit == .status(status))
    #expect(result.standardError.hasPrefix("geopublicistd: "))
  }
}
