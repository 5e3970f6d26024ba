// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// Regions with sources as they are: a recorded track, the real GeoClue, a machine that sleeps, reduced locations.
@Suite(.serialized) struct RegionSourceTests {
  private let directory = TemporaryDirectory()

  /// A track of points, a second apart, each so many metres north of 52 degrees and with an accuracy.
  private func track(_ points: [(metres: Double, accuracy: Double)]) throws -> String {
    let path = directory.freshFile("track")
    let start = 1_767_225_600.0
    let format = ISO8601DateFormatter()
    let lines = points.enumerated().map { index, point in
      let time = format.string(from: Date(timeIntervalSince1970: start + Double(index)))
      return "<trkpt lat='\(52 + point.metres / 111_195)' lon='13'><time>\(time)</time>"
        + "<extensions><accuracy>\(point.accuracy)</accuracy></extensions></trkpt>"
    }
    try "<gpx><trk><trkseg>\(lines.joined())</trkseg></trk></gpx>".write(
      toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  /// A session in which the service replays a track.
  private struct Session {
    let bus: PrivateBus
    let daemon: Daemon
    let client: ConsumerProgram

    init(_ file: String, speed: Int) throws {
      bus = try PrivateBus(.session)
      daemon = try Daemon(.session, on: bus, options: ["--replay", file, "--speed", "\(speed)"])
      client = try ConsumerProgram(on: bus)
    }
  }

  @Test func `a replayed day reports each crossing once despite the noise`() throws {
    var noise = SystemRandomNumberGenerator()
    // Home, a walk along the border, away, home: 100 m are inside of the 200 m, 300 m are outside.
    let legs: [(metres: Double, seconds: Int)] = [(0, 40), (100, 40), (600, 60), (300, 40), (50, 60), (5_000, 60)]
    let points = legs.flatMap { leg in
      (0..<leg.seconds).map { second in
        // Two locations in a minute are 400 m off and claim to be good.
        let isBad = second % 30 == 5
        let error = isBad ? 400 : Double.random(in: -15...15, using: &noise)
        return (metres: leg.metres + error, accuracy: isBad ? 1.7 : 20)
      }
    }
    let session = try Session(track(points), speed: 20)
    let client = session.client
    // Twenty times as fast, so a second is confirmed for what 20 are.
    let path = try client.regionStarted(ConsumerProgram.circle(52, 13, radius: 200, confirm: 1_000))
    _ = try client.subscribeAndStart()
    try client.waitFor(["determined", "exited", "entered", "exited"], path, within: .seconds(60))
    #expect(client.events(of: path).allSatisfy { $0["Simulated"] == .variant("b", true) })
    #expect(session.daemon.isRunning)
  }

  @Test func `regions follow the receiver of the real GeoClue`() throws {
    let machine = try Machine(.system)
    let client = try machine.consumer()
    let path = try client.regionStarted(ConsumerProgram.circle(52.5, 13.4, ["dwell": .variant("u", 200)]))
    let receiver = machine.geoclue.receiver
    func walk(to latitude: Double, _ happenings: [String]) throws {
      try receiver.write(GGASentence(latitude: latitude, longitude: 13.4))
      try client.waitFor(happenings, path)
    }
    // A subscription keeps the receiver on.
    _ = try client.subscribeAndStart()
    try walk(to: 52.6, ["determined"])
    try walk(to: 52.5001, ["determined", "entered", "dwelled"])
    try machine.geoclue.restart()
    try walk(to: 52.5002, ["determined", "entered", "dwelled"])
    try walk(to: 52.6, ["determined", "entered", "dwelled", "exited"])
    #expect(!machine.daemon.log.contains("52.5"))
  }

  @Test func `a machine that sleeps in one place and wakes in another reports one exit and one entry`() throws {
    let bus = try PrivateBus(.session)
    let logind = try BusClient(at: bus.address)
    try logind.own("org.freedesktop.login1")
    let machine = try SimulatedMachine(on: bus)
    let (geoclue, client) = (machine.geoclue, machine.client)
    _ = try client.subscribeAndStart()
    let home = try client.regionStarted(ConsumerProgram.circle(52, 13))
    let work = try client.regionStarted(ConsumerProgram.circle(53, 13))
    try geoclue.fix(latitude: 52, longitude: 13)
    for path in [home, work] { try client.waitFor(["determined"], path) }
    for isBefore in [true, false] { try logind.prepareForSleep(isBefore) }
    for path in [home, work] { try client.waitFor(["determined", "lost slept"], path) }
    try eventually("it is found elsewhere", within: .seconds(30), turn: rest) {
      try geoclue.fix(latitude: 53, longitude: 13)
      return client.happenings(work).count == 3 && client.happenings(home).count == 3
    }
    #expect(client.happenings(home) == ["determined", "lost slept", "exited gap"])
    #expect(client.happenings(work) == ["determined", "lost slept", "entered gap"])
    #expect(machine.daemon.isRunning)
  }

  @Test func `twenty bisecting regions at city level reveal nothing finer than the cell`() throws {
    let city = ["accuracy": JSON.variant("s", "city")]
    var told: [[String]] = []
    var centre: Double?
    for offset in [-4_000.0, 4_000] {
      // Two places of the same cell, 8 km apart; the first run finds out where its centre is.
      if centre == nil {
        let session = try Session(track([(0, 5)]), speed: 1)
        let cell = try #require(try session.client.location(.object(city)).reply)
        centre = try #require(cell["Latitude"]?.content.number)
      }
      let middle = (try #require(centre) - 52) * 111_195
      let session = try Session(track([(middle + offset, 5)]), speed: 1)
      let client = session.client
      let paths = try (0..<19).map { step in
        // Circles of the smallest radius that is evaluated, whose borders lie 1 km apart around the cell.
        try client.regionStarted(
          ConsumerProgram.circle(52 + (middle / 1_000 + Double(step) - 24) / 111.195, 13, radius: 15_000, city))
      }
      let wide = try client.regionStarted(ConsumerProgram.circle(52, 13, radius: 200_000, city))
      let small = ConsumerProgram.circle(52, 13, radius: 14_999, city)
      try client.tellRegion(paths[0], "Close")
      let limited = try client.regionStarted(small)
      try client.waitFor(["lost accuracy-limited"], limited)
      #expect(try client.property("StateReason", of: limited) == "accuracy-limited")
      try client.waitFor(["determined"], wide)
      // All of them had the same single location, and it has stood for as long.
      try always("they have told what they can", for: .milliseconds(500)) { session.daemon.isRunning }
      told.append(
        try paths.dropFirst().map { path in
          client.happenings(path).joined(separator: ",") + (try client.property("State", of: path)).line
        })
    }
    #expect(told[0] == told[1])
  }
}

extension BusClient.Answer {
  /// The first argument of a reply.
  fileprivate var reply: JSON? {
    guard case .reply(let arguments) = self else { return nil }
    return arguments.first
  }
}
