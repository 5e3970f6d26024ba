// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import Glibc

/// The user's hooks: executable files in one folder, run in the order of their names.
enum Hooks {
  static let folder = String(cString: g_get_user_config_dir()) + "/geopublicist/hooks.d"

  /// Returns those to run now: files of this user that no other user can write, as for NetworkManager's dispatcher.
  static func files() -> [String] {
    guard let handle = g_dir_open(folder, 0, nil) else { return [] }
    defer { g_dir_close(handle) }
    var names: [String] = []
    while let name = g_dir_read_name(handle) { names.append(String(cString: name)) }
    return names.sorted().map { "\(folder)/\($0)" }.filter(isHook)
  }

  private static func isHook(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    return status.st_uid == getuid() && status.st_mode & (S_IWGRP | S_IWOTH) == 0 && status.st_mode & S_IXUSR != 0
  }
}
