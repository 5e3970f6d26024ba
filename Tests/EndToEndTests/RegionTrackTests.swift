// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// A session in which the service replays a track, and a client of it.
struct ReplaySession {
  let bus: PrivateBus
  let service: Service
  let client: ServiceClient

  static let start = (latitude: 52.0, longitude: 13.0)
  static let degree = 6_371_008.8 * Double.pi / 180

  init(_ fixes: [TrackFix], speed: UInt64, in directory: TemporaryDirectory) throws {
    let file = directory.freshFile("track")
    let format = ISO8601DateFormatter()
    let points = fixes.map { fix in
      let time = format.string(from: Date(timeIntervalSince1970: 1_767_225_600 + Double(fix.at)))
      return "<trkpt lat='\(Self.latitude(fix.metres))' lon='\(Self.start.longitude)'><time>\(time)</time>"
        + "<extensions><accuracy>\(fix.accuracy)</accuracy></extensions></trkpt>"
    }
    try "<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>".write(
      toFile: file, atomically: true, encoding: .utf8)
    bus = try PrivateBus(.session)
    service = try Service(.session, on: bus, options: ["--replay", file, "--speed", "\(speed)"])
    client = try ServiceClient(on: bus)
  }

  /// The latitude at a distance in metres north of the start.
  static func latitude(_ metres: Double) -> Double { start.latitude + metres / degree }
}

/// Regions on tracks with noise, outliers and gaps, replayed by the service and compared with an oracle.
@Suite struct RegionTrackTests {
  /// How many times faster the tracks are replayed.
  private static let speed: UInt64 = 10

  /// A track, and circles whose events do not depend on delays of a busy machine.
  private struct Track {
    var fixes: [TrackFix]
    var oracles: [RegionOracle]

    /// A walk that begins with a pause, during which the regions are started, and ends far from all of them.
    init(seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      let walk = TrackFix.walk(lasting: 230, within: 0...700, gaps: 90...110, using: &random)
      let begin = stride(from: UInt64(0), to: 40, by: 2).map { TrackFix(at: $0, metres: walk[0].metres, accuracy: 10) }
      let middle = walk.map { TrackFix(at: $0.at + 40, metres: $0.metres, accuracy: $0.accuracy) }
      let last = middle[middle.count - 1].at
      let end = stride(from: last + 2, to: last + 60, by: 2).map { TrackFix(at: $0, metres: 9_000, accuracy: 10) }
      fixes = begin + middle + end
      oracles = []
      for _ in 0..<40 where oracles.count < 8 {
        let oracle = RegionOracle(
          centre: .random(in: -100...800, using: &random), radius: .random(in: 50...500, using: &random),
          unknownAfter: 60)
        if isStable(oracle) { oracles.append(oracle) }
      }
    }

    private var end: UInt64 { fixes[fixes.count - 1].at }

    func changes(_ oracle: RegionOracle) -> [RegionOracle.Change] { oracle.changes(fixes, until: end) }

    /// Whether the events are the same with much shorter and longer times.
    private func isStable(_ oracle: RegionOracle) -> Bool {
      let expected = changes(oracle).map(\.what)
      let others: [(confirm: UInt64, unknownAfter: UInt64)] = [(10, 42), (14, 50), (26, 70), (32, 78)]
      return others.allSatisfy { times in
        var other = oracle
        (other.confirm, other.unknownAfter) = times
        return changes(other).map(\.what) == expected
      }
    }
  }

  /// A service that replays a track for a client that monitors circles.
  private struct Run {
    let track: Track
    let session: ReplaySession
    let paths: [String]

    init(_ track: Track, in directory: TemporaryDirectory) throws {
      self.track = track
      session = try ReplaySession(track.fixes, speed: RegionTrackTests.speed, in: directory)
      let client = session.client
      let milliseconds = 1_000 / RegionTrackTests.speed
      paths = try track.oracles.map { oracle in
        try client.region(
          ServiceClient.circle(
            ReplaySession.latitude(oracle.centre), ReplaySession.start.longitude, radius: oracle.radius,
            confirm: UInt32(oracle.confirm * milliseconds),
            ["unknown-after": .variant("u", .integer(Int64(oracle.unknownAfter * milliseconds)))]))
      }
      // The subscription keeps the source on.
      _ = try client.subscribeAndStart()
      for path in paths { try client.tell(path, "Start") }
    }

    func check() throws {
      for (oracle, path) in zip(track.oracles, paths) {
        let expected = track.changes(oracle)
        try session.client.waitFor(expected.map(\.what), path, within: .seconds(90))
        // The delay of each event after the first one, in seconds of the track.
        let told = session.client.events(of: path).map { ($0["MonotonicUSec"]?.content.number ?? 0) / 1_000_000 }
        for (change, time) in zip(expected, told) {
          let late = (time - told[0]) * Double(RegionTrackTests.speed) - Double(change.at) + Double(expected[0].at)
          #expect(abs(late) < 150, "\(change) in \(expected), \(late) s late")
        }
      }
    }
  }

  @Test func `replayed tracks cause exactly the events that an independent model expects`() throws {
    let directory = TemporaryDirectory()
    let tracks = [1, 36, 39].map { Track(seed: $0) }
    let expected = tracks.flatMap { track in track.oracles.flatMap { track.changes($0).map(\.what) } }
    for what in ["determined", "entered", "exited", "lost no-fix", "entered gap", "exited gap"] {
      #expect(expected.contains(what), "\(what) is not among \(expected)")
    }
    // All tracks run at the same time.
    for run in try tracks.map({ try Run($0, in: directory) }) { try run.check() }
  }
}

/// Regions with realistic sources: a recorded track, the real GeoClue, a machine that sleeps, reduced locations.
@Suite(.serialized) struct RegionSourceTests {
  private let directory = TemporaryDirectory()

  @Test func `a noisy track of a whole day causes one event for each crossing`() throws {
    var noise = SeededGenerator(seed: 1)
    // Home, a walk along the border, away, home. With a radius of 200 m, 100 m is inside and 300 m is outside.
    let legs: [(metres: Double, seconds: Int)] = [(0, 40), (100, 40), (600, 60), (300, 40), (50, 60), (5_000, 60)]
    var track: [TrackFix] = []
    for leg in legs {
      for second in 0..<leg.seconds {
        // Two locations per minute are 400 m off and claim a good accuracy.
        let isBad = second % 30 == 5
        let error = isBad ? 400 : Double.random(in: -15...15, using: &noise)
        track.append(TrackFix(at: UInt64(track.count), metres: leg.metres + error, accuracy: isBad ? 1.7 : 20))
      }
    }
    let session = try ReplaySession(track, speed: 20, in: directory)
    let client = session.client
    // The track is replayed twenty times as fast, so a confirmation of one second stands for 20.
    let path = try client.regionStarted(ServiceClient.circle(52, 13, radius: 200, confirm: 1_000))
    _ = try client.subscribeAndStart()
    try client.waitFor(["determined", "exited", "entered", "exited"], path, within: .seconds(60))
    #expect(client.events(of: path).allSatisfy { $0["Simulated"] == .variant("b", true) })
    #expect(session.service.isRunning)
  }

  @Test(arguments: receiverClocks(0, -3_600, 3_600))
  func `regions work with the real GeoClue even if the receiver's clock is wrong`(ahead: Double) throws {
    let machine = try ServiceFixture(.system)
    let client = try machine.client()
    let path = try client.regionStarted(ServiceClient.circle(52.5, 13.4, ["dwell": .variant("u", 200)]))
    let receiver = machine.receiver
    func walk(to latitude: Double, _ happenings: [String]) throws {
      try receiver.write(GGASentence(latitude: latitude, longitude: 13.4, time: Date() + ahead))
      try client.waitFor(happenings, path)
    }
    // A subscription keeps the receiver on.
    _ = try client.subscribeAndStart()
    try walk(to: 52.6, ["determined"])
    try walk(to: 52.5001, ["determined", "entered", "dwelled"])
    try machine.geoclue.restart()
    try walk(to: 52.5002, ["determined", "entered", "dwelled"])
    // At the first place, in the same second, it would be a repetition.
    try walk(to: 52.61, ["determined", "entered", "dwelled", "exited"])
    // These coordinates have more digits than the times in the log.
    for secret in ["52.5001", "52.5002"] { #expect(!machine.service.log.contains(secret)) }
  }

  @Test func `a suspend in one region and a resume in another cause one exit and one entry`() throws {
    let (logind, bus) = try BusClient.owning("org.freedesktop.login1")
    let machine = try SimulatedFixture(on: bus)
    let (geoclue, client) = (machine.geoclue, machine.client)
    _ = try client.subscribeAndStart()
    let home = try client.regionStarted(ServiceClient.circle(52, 13))
    let work = try client.regionStarted(ServiceClient.circle(53, 13))
    try geoclue.fix(latitude: 52)
    for path in [home, work] { try client.waitFor(["determined"], path) }
    for isBefore in [true, false] { try logind.prepareForSleep(isBefore) }
    for path in [home, work] { try client.waitFor(["determined", "lost slept"], path) }
    try eventually("the new place is found", within: .seconds(30), turn: rest) {
      try geoclue.fix(latitude: 53)
      return client.happenings(work).count == 3 && client.happenings(home).count == 3
    }
    #expect(client.happenings(home) == ["determined", "lost slept", "exited gap"])
    #expect(client.happenings(work) == ["determined", "lost slept", "entered gap"])
    #expect(machine.service.isRunning)
  }

  @Test func `twenty regions at city level reveal no more than the cell`() throws {
    let city = ["accuracy": JSON.variant("s", "city")]
    var told: [[String]] = []
    var centre: Double?
    for offset in [-4_000.0, 4_000] {
      // Two places of the same cell, 8 km apart; the first run determines its centre.
      if centre == nil {
        let session = try ReplaySession([TrackFix(at: 0, metres: 0, accuracy: 5)], speed: 1, in: directory)
        centre = try session.client.location(.object(city)).arguments()[0]["Latitude"]?.number
      }
      let middle = (try #require(centre) - 52) * ReplaySession.degree
      let place = TrackFix(at: 0, metres: middle + offset, accuracy: 5)
      let session = try ReplaySession([place], speed: 1, in: directory)
      let client = session.client
      let paths = try (0..<19).map { step in
        // Circles of the smallest radius that is evaluated, with borders 1 km apart around the cell.
        try client.regionStarted(
          ServiceClient.circle(
            ReplaySession.latitude(middle + (Double(step) - 24) * 1_000), 13, radius: 15_000, city))
      }
      let wide = try client.regionStarted(ServiceClient.circle(52, 13, radius: 200_000, city))
      let small = ServiceClient.circle(52, 13, radius: 14_999, city)
      try client.tell(paths[0], "Close")
      let limited = try client.regionStarted(small)
      try client.waitFor(["lost accuracy-limited"], limited)
      #expect(try client.property("StateReason", of: limited) == "accuracy-limited")
      try client.waitFor(["determined"], wide)
      try client.tell(limited, "Close")
      // When the last region has reported its state, the others have, too, because each needs the same time.
      let last = try client.regionStarted(ServiceClient.circle(52, 13, radius: 200_000, city))
      try client.waitFor(["determined"], last)
      told.append(
        try paths.dropFirst().map { path in
          client.happenings(path).joined(separator: ",") + (try client.property("State", of: path)).line
        })
    }
    #expect(told[0] == told[1])
  }
}
