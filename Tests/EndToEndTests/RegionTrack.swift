// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport

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
