// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// A session in which the service replays a track, and a client of it.
struct ReplaySession {
  let bus: PrivateBus
  let daemon: Daemon
  let client: ConsumerProgram

  /// Where tracks begin, degrees.
  static let start = (latitude: 52.0, longitude: 13.0)
  /// Metres of a degree of latitude.
  static let degree = 6_371_008.8 * Double.pi / 180

  /// Starts it with a track to the north of the start.
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
    daemon = try Daemon(.session, on: bus, options: ["--replay", file, "--speed", "\(speed)"])
    client = try ConsumerProgram(on: bus)
  }

  /// The latitude so many metres north of the start.
  static func latitude(_ metres: Double) -> Double { start.latitude + metres / degree }
}

/// Regions on tracks with noise, outliers and gaps, replayed by the service and compared with an oracle.
@Suite struct RegionTrackTests {
  /// How many times faster the tracks are replayed.
  private static let speed: UInt64 = 10

  /// A track, and circles whose events do not depend on how punctual a busy machine is.
  private struct Track {
    var fixes: [TrackFix]
    var oracles: [RegionOracle]

    /// A walk that stands still at first, while the regions are started, and ends far away from all of them.
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

    /// Whether the events are the same if every time is much shorter or longer.
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

  /// A service that replays a track for a client with its circles.
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
          ConsumerProgram.circle(
            ReplaySession.latitude(oracle.centre), ReplaySession.start.longitude, radius: oracle.radius,
            confirm: UInt32(oracle.confirm * milliseconds),
            ["unknown-after": .variant("u", .integer(Int64(oracle.unknownAfter * milliseconds)))]))
      }
      // It keeps the source on.
      _ = try client.subscribeAndStart()
      for path in paths { try client.tell(path, "Start") }
    }

    func check() throws {
      for (oracle, path) in zip(track.oracles, paths) {
        let expected = track.changes(oracle)
        try session.client.waitFor(expected.map(\.what), path, within: .seconds(90))
        // How much later each event came than the first one, in seconds of the track.
        let told = session.client.events(of: path).map { ($0["MonotonicUSec"]?.content.number ?? 0) / 1_000_000 }
        for (change, time) in zip(expected, told) {
          let late = (time - told[0]) * Double(RegionTrackTests.speed) - Double(change.at) + Double(expected[0].at)
          #expect(abs(late) < 50, "\(change) in \(expected), \(late) s late")
        }
      }
    }
  }

  @Test func `replayed tracks tell what an oracle expects, on each of many circles`() throws {
    let directory = TemporaryDirectory()
    let tracks = [1, 36, 39].map { Track(seed: $0) }
    let expected = tracks.flatMap { track in track.oracles.flatMap { track.changes($0).map(\.what) } }
    for what in ["determined", "entered", "exited", "lost no-fix", "entered gap", "exited gap"] {
      #expect(expected.contains(what), "\(what) is not among \(expected)")
    }
    // All at the same time.
    for run in try tracks.map({ try Run($0, in: directory) }) { try run.check() }
  }
}
