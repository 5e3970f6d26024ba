// SPDX-License-Identifier: Apache-2.0
import GeoClue
import GeopublicistClient
import GeopublicistProcessSupport

/// Reads what `doctor` needs of GeoClue's configuration.
enum GeoClueSettingsReader {
  static let folder = GeoClueConfiguration.folder

  /// Reads the configuration in a folder; returns nil if there is no file.
  static func read(_ folder: String) -> GeoClueSettings? {
    let files = GeoClueConfiguration.files(in: folder).filter(TextFile.exists)
    guard !files.isEmpty else { return nil }
    var configuration = GeoClueConfiguration()
    var settings = GeoClueSettings()
    for path in files {
      do throws(KeyFile.FileError) {
        let file = try GeoClueConfiguration(file: path)
        if file.agents != nil { settings.agentsFile = path }
        configuration.merge(file)
      } catch {
        settings.error = error.description
      }
    }
    let rule = configuration.rules[ServiceContract.service.rawValue]
    settings.agents = configuration.agents
    settings.isServiceAllowed = rule?.isAllowed ?? true
    settings.serviceUsers = rule?.users?.map { "\($0)" } ?? []
    settings.isWiFiEnabled = configuration.isWiFiEnabled ?? true
    settings.serverURL = configuration.wiFiURL
    return settings
  }
}
