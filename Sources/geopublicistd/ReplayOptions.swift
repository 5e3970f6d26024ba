// SPDX-License-Identifier: Apache-2.0
import GeopublicistProcessSupport
import GeopublicistReplay
import GeopublicistService

/// `--replay` and what belongs to it.
struct ReplayOptions {
  private let file: String
  private let speed: Double
  private let isLoop: Bool

  static func declare(_ parser: OptionParser) {
    parser.addText(
      "replay", nil, "With --session: publish this recorded track (GPX or NMEA), not the location", value: "FILE")
    parser.addText("speed", nil, "Replay so many times faster, such as 10 or 0.5", value: "NUMBER")
    parser.addSwitch("loop", nil, "Replay from the beginning after the end")
  }

  /// Nil if nothing is to be replayed. For one user alone: nobody may make up the location of everybody.
  init?(_ parser: OptionParser, _ deployment: LocationService.Deployment) throws(OptionParser.UsageError) {
    guard let file = parser.text("replay") else {
      guard parser.text("speed") == nil, !parser.isSet("loop") else {
        throw OptionParser.UsageError(message: "--speed and --loop go with --replay")
      }
      return nil
    }
    guard deployment == .session else { throw OptionParser.UsageError(message: "--replay goes with --session") }
    self.file = file
    isLoop = parser.isSet("loop")
    let text = parser.text("speed") ?? "1"
    guard let speed = Double(text), speed.isFinite, speed > 0 else {
      throw OptionParser.UsageError(message: "--speed takes a number greater than 0, not '\(text)'")
    }
    self.speed = speed
  }

  /// Reads the track.
  func source() throws -> ReplaySource {
    let track = try TrackFile.track(in: try TextFile.contents(of: file), from: file)
    return ReplaySource(track, speed: speed, isLoop: isLoop)
  }
}
