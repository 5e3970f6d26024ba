// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistProcessSupport

/// Reads GeoClue's settings as GeoClue does: geoclue.conf, then conf.d in the order of the names, key by key.
enum GeoClueSettingsReader {
  static let folder = "/etc/geoclue"

  /// `folder` is that of GeoClue's settings; nil if there are none.
  static func read(_ folder: String) -> GeoClueSettings? {
    let files = ["\(folder)/geoclue.conf"] + dropIns(in: "\(folder)/conf.d")
    let present = files.filter { g_file_test($0, G_FILE_TEST_EXISTS) != 0 }
    guard !present.isEmpty else { return nil }
    var settings = GeoClueSettings()
    for path in present {
      do throws(KeyFile.FileError) {
        merge(try KeyFile(path: path), into: &settings)
      } catch {
        settings.error = error.description
      }
    }
    return settings
  }

  private static func merge(_ file: KeyFile, into settings: inout GeoClueSettings) {
    let bridge = Contract.service.rawValue
    if let agents = file.text("whitelist", of: "agent") { settings.agents = list(agents) }
    if let allowed = file.text("allowed", of: bridge) { settings.isBridgeAllowed = allowed == "true" }
    if let users = file.text("users", of: bridge) { settings.bridgeUsers = list(users) }
    if let enabled = file.text("enable", of: "wifi") { settings.isWiFiEnabled = enabled == "true" }
    if let url = file.text("url", of: "wifi"), !url.isEmpty { settings.serverURL = url }
  }

  private static func list(_ text: String) -> [String] {
    text.split { $0 == ";" || $0 == " " }.map(String.init)
  }

  private static func dropIns(in folder: String) -> [String] {
    guard let directory = g_dir_open(folder, 0, nil) else { return [] }
    defer { g_dir_close(directory) }
    var names: [String] = []
    while let name = g_dir_read_name(directory) { names.append(String(cString: name)) }
    return names.filter { $0.hasSuffix(".conf") }.sorted().map { "\(folder)/\($0)" }
  }
}
