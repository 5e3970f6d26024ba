// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistProcessSupport
import GeopublicistReplay
import GeopublicistService

/// The options for a replay: `--replay`, `--at`, `--speed` and `--loop`.
struct ReplayOptions {
  private enum Way {
    case file(String)
    case place(Location)
  }

  private let way: Way
  private let speed: Double
  private let isLoop: Bool

  static func declare(_ parser: OptionParser) {
    parser.addText(
      "replay", nil, "With --session: publish this recorded track (GPX, GeoJSON or NMEA), not the location",
      value: "FILE")
    parser.addText(
      "at", nil, "With --session: publish this place, in degrees such as 52.5,13.4, not the location", value: "LAT,LON")
    parser.addText("speed", nil, "Replay this many times faster, such as 10 or 0.5", value: "NUMBER")
    parser.addSwitch("loop", nil, "Replay from the beginning after the end")
  }

  /// Returns nil if nothing is to be replayed. Only for the session deployment, because nobody may fake the location of
  /// all users.
  init?(_ parser: OptionParser, _ deployment: LocationService.Deployment) throws(OptionParser.UsageError) {
    guard let option = ["replay", "at"].first(where: { parser.text($0) != nil }), let text = parser.text(option) else {
      guard parser.text("speed") == nil, !parser.isSet("loop") else {
        throw OptionParser.UsageError(message: "--speed and --loop go with --replay")
      }
      return nil
    }
    guard deployment == .session else { throw OptionParser.UsageError(message: "--\(option) goes with --session") }
    guard option == "at" || parser.text("at") == nil else {
      throw OptionParser.UsageError(message: "--replay and --at exclude each other")
    }
    if option == "at" {
      guard let place = Location(degrees: text) else {
        throw .init(message: "--at takes degrees of latitude and longitude such as 52.5,13.4, not '\(text)'")
      }
      way = .place(place)
    } else {
      way = .file(text)
    }
    isLoop = parser.isSet("loop")
    let factor = parser.text("speed") ?? "1"
    guard let speed = Double(factor), speed.isFinite, speed > 0 else {
      throw OptionParser.UsageError(message: "--speed takes a number greater than 0, not '\(factor)'")
    }
    self.speed = speed
  }

  /// Reads the track.
  func source() throws -> ReplaySource {
    let track =
      switch way {
      case .file(let path): try TrackFile.track(in: try TextFile.contents(of: path), from: path)
      case .place(let place): Track(at: place)
      }
    return ReplaySource(track, speed: speed, isLoop: isLoop)
  }
}
