// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistProcessSupport
import GeopublicistService

/// The command line of `geopublicistd`.
struct DaemonOptions {
  var deployment = LocationService.Deployment.system
  var exportBus: Connection.Bus
  var geoclueBus: Connection.Bus
  var configurationFile: String?
  var replay: ReplayOptions?
  var isVerbose: Bool
  var checksConfiguration: Bool
  var showsVersion: Bool

  init(_ arguments: [String]) throws(OptionParser.UsageError) {
    let parser = OptionParser(summary: "Publishes GeoClue's locations on D-Bus as \(ServiceContract.service).")
    parser.addSwitch("system", nil, "Serve all users on the system bus (default)")
    parser.addSwitch("session", nil, "Serve the current user on the session bus")
    parser.addText("address", nil, "Serve on the bus at this address instead", value: "ADDRESS")
    parser.addText(
      "geoclue-address", nil, "Look for GeoClue on the bus at this address, not the system bus", value: "ADDRESS")
    parser.addText("config", nil, "Read this file instead of those in /etc/geopublicist", value: "FILE")
    parser.addSwitch("check", nil, "Check the configuration and exit")
    ReplayOptions.declare(parser)
    parser.addSwitch("verbose", "v", "Log more")
    parser.addSwitch("version", nil, "Print the version and exit")
    let rest = try parser.parse(arguments)
    if let first = rest.first { throw OptionParser.UsageError(message: "Unexpected argument \(first)") }
    if parser.isSet("system"), parser.isSet("session") {
      throw OptionParser.UsageError(message: "--system and --session cannot be combined")
    }
    deployment = parser.isSet("session") ? .session : .system
    exportBus = parser.text("address").map { .address($0) } ?? (deployment == .session ? .session : .system)
    replay = try ReplayOptions(parser, deployment)
    // A replay does not use GeoClue and must also work where there is no system bus.
    geoclueBus = parser.text("geoclue-address").map { .address($0) } ?? (replay == nil ? .system : exportBus)
    configurationFile = parser.text("config")
    checksConfiguration = parser.isSet("check")
    isVerbose = parser.isSet("verbose")
    showsVersion = parser.isSet("version")
  }
}
