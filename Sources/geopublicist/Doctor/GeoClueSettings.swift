// SPDX-License-Identifier: Apache-2.0
import GeoClue
import GeopublicistClient
import GeopublicistProcessSupport

/// What `doctor` needs of GeoClue's configuration.
nonisolated struct GeoClueSettings: Equatable {
  /// The server that Debian's GeoClue uses by default.
  static let defaultServer = "https://api.beacondb.net/v1/geolocate"

  /// The agents that are allowed; nil for the built-in list.
  var agents: [String]?
  var agentsFile: String?
  var isServiceAllowed = true
  /// The users for whom the service may have locations; empty for all.
  var serviceUsers: [String] = []
  var isWiFiEnabled = true
  /// The location server; nil for GeoClue's default.
  var serverURL: String?
  /// Why a file could not be read.
  var error: String?
}

extension GeoClueSettings {
  /// Reads the configuration in a folder; nil if there is no file.
  init?(folder: String) {
    let files = GeoClueConfiguration.files(in: folder).filter(TextFile.exists)
    guard !files.isEmpty else { return nil }
    self.init()
    var configuration = GeoClueConfiguration()
    for path in files {
      do throws(KeyFile.FileError) {
        let file = try GeoClueConfiguration(file: path)
        if file.agents != nil { agentsFile = path }
        configuration.merge(file)
      } catch { self.error = error.description }
    }
    let rule = configuration.rules[ServiceContract.service.rawValue]
    agents = configuration.agents
    isServiceAllowed = rule?.isAllowed ?? true
    serviceUsers = rule?.users?.map { "\($0)" } ?? []
    isWiFiEnabled = configuration.isWiFiEnabled ?? true
    serverURL = configuration.wiFiURL
  }
}
