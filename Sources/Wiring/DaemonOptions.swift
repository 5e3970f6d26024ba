// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistLocationModel
import GeopublicistProcessSupport
import GeopublicistReplay
import GeopublicistService

/// The command line of `geopublicistd`.
package struct DaemonOptions {
  var deployment = LocationService.Deployment.system
  var exportBus: Connection.Bus
  var geoclueBus: Connection.Bus
  package var configurationFile: String?
  package var replay: ReplayOptions?
  package var isVerbose: Bool
  package var checksConfiguration: Bool
  package var forgets: Bool
  package var showsVersion: Bool

  package init(_ arguments: [String]) throws(UsageError) {
    let parser = OptionParser(
      "geopublicistd", summary: "Publishes GeoClue's locations on D-Bus as \(ServiceContract.service).")
    parser.addSwitch("system", nil, "Serve all users on the system bus (default)")
    parser.addSwitch("session", nil, "Serve the current user on the session bus")
    parser.addText("address", nil, "Serve on the bus at this address instead", value: "ADDRESS")
    parser.addText(
      "geoclue-address", nil, "Look for GeoClue on the bus at this address instead of the system bus", value: "ADDRESS")
    parser.addText("config", nil, "Read this file instead of those in /etc/geopublicist", value: "FILE")
    parser.addSwitch("check", nil, "Check the configuration and exit")
    parser.addSwitch("forget", nil, "Erase the last location of every user and exit")
    ReplayOptions.declare(parser)
    parser.addSwitch("verbose", "v", "Log debug messages as well")
    parser.addSwitch("version", nil, "Print the version and exit")
    let rest = try parser.parse(Array(arguments.dropFirst()))
    if let first = rest.first { throw UsageError("Unexpected argument \(first)") }
    if parser.isSet("system"), parser.isSet("session") {
      throw UsageError("--system and --session cannot be combined")
    }
    deployment = parser.isSet("session") ? .session : .system
    exportBus = parser.text("address").map { .address($0) } ?? (deployment == .session ? .session : .system)
    replay = try ReplayOptions(parser, deployment)
    // A replay does not use GeoClue and must also work where there is no system bus.
    geoclueBus = parser.text("geoclue-address").map { .address($0) } ?? (replay == nil ? .system : exportBus)
    configurationFile = parser.text("config")
    checksConfiguration = parser.isSet("check")
    forgets = parser.isSet("forget")
    isVerbose = parser.isSet("verbose")
    showsVersion = parser.isSet("version")
  }
}

/// The options for a replay: `--replay`, `--at`, `--speed` and `--loop`.
package struct ReplayOptions {
  private enum Way {
    case file(String)
    case place(Location)
  }

  private let way: Way
  private let speed: Double
  private let isLoop: Bool

  static func declare(_ parser: OptionParser) {
    parser.addText(
      "replay", nil, "With --session: publish this recorded track (GPX, GeoJSON or NMEA) instead of the location",
      value: "FILE")
    parser.addText(
      "at", nil, "With --session: publish this place, in degrees such as 52.5,13.4, instead of the location",
      value: "LAT,LON")
    parser.addText("speed", nil, "Replay this many times faster, such as 10 or 0.5", value: "NUMBER")
    parser.addSwitch("loop", nil, "Replay from the beginning after the end")
  }

  /// Returns nil if nothing is to be replayed. Only for the session deployment, because no user may fake the location
  /// of all users.
  init?(_ parser: OptionParser, _ deployment: LocationService.Deployment) throws(UsageError) {
    guard let option = ["replay", "at"].first(where: { parser.text($0) != nil }), let text = parser.text(option) else {
      guard parser.text("speed") == nil, !parser.isSet("loop") else {
        throw UsageError("--speed and --loop require --replay")
      }
      return nil
    }
    guard deployment == .session else { throw UsageError("--\(option) requires --session") }
    guard option == "at" || parser.text("at") == nil else { throw UsageError("--replay and --at cannot be combined") }
    if option == "at" {
      guard let place = Location(degrees: text) else {
        throw .init("--at takes degrees of latitude and longitude such as 52.5,13.4, not '\(text)'")
      }
      way = .place(place)
    } else {
      way = .file(text)
    }
    isLoop = parser.isSet("loop")
    let factor = parser.text("speed") ?? "1"
    guard let speed = OptionParser.positiveNumber(factor) else {
      throw UsageError("--speed takes a number greater than 0, not '\(factor)'")
    }
    self.speed = speed
  }

  package func source() throws -> ReplaySource {
    let track =
      switch way {
      case .file(let path): try TrackFile.track(in: try TextFile.contents(of: path), from: path)
      case .place(let place): Track(at: place)
      }
    return ReplaySource(track, speed: speed, isLoop: isLoop)
  }
}
