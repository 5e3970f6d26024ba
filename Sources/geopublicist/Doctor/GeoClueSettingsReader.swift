// SPDX-License-Identifier: Apache-2.0
import GeoClue
import GeopublicistClient
import GeopublicistProcessSupport

/// Reads GeoClue's configuration as far as the doctor reports it.
enum GeoClueSettingsReader {
  static let folder = GeoClueConfiguration.folder

  /// `folder` is that of GeoClue's configuration; nil if there is none.
  static func read(_ folder: String) -> GeoClueSettings? {
    let files = GeoClueConfiguration.files(in: folder).filter(TextFile.exists)
    guard !files.isEmpty else { return nil }
    var configuration = GeoClueConfiguration()
    var settings = GeoClueSettings()
    for path in files {
      do throws(KeyFile.FileError) {
        configuration.merge(try GeoClueConfiguration(file: path))
      } catch {
        settings.error = error.description
      }
    }
    let rule = configuration.rules[Contract.service.rawValue]
    settings.agents = configuration.agents
    settings.isBridgeAllowed = rule?.isAllowed ?? true
    settings.bridgeUsers = rule?.users?.map { "\($0)" } ?? []
    settings.isWiFiEnabled = configuration.isWiFiEnabled ?? true
    settings.serverURL = configuration.wiFiURL
    return settings
  }
}
