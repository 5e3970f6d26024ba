// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistProcessSupport

/// Files in the user's configuration, readable only by the user.
enum UserFile {
  static let folder = String(cString: g_get_user_config_dir()) + "/geopublicist"

  /// Replaces a file of the folder, which is made if it is missing.
  static func write(_ text: String, to path: String) throws(KeyFile.FileError) {
    g_mkdir_with_parents(folder, 0o700)
    try TextFile.replace(path, with: text, mode: 0o600)
  }
}
