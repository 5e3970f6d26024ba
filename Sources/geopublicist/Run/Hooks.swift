// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import Glibc

/// The user's hooks: executable files in one folder, which run in the order of their names.
enum Hooks {
  static let folder = UserFile.folder + "/hooks.d"

  /// Returns the hooks to run now: executable files that belong to this user and that no other user can write.
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
