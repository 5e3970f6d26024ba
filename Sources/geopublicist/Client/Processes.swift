// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistProcessSupport
import Glibc

/// The names of users and processes.
nonisolated enum Processes {
  /// Returns the name of a user, or the number if there is no name.
  static func userName(_ user: UInt32) -> String {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
      guard let start = buffer.baseAddress, getpwuid_r(user, &entry, start, buffer.count, &found) == 0, found != nil,
        let name = entry.pw_name
      else { return "\(user)" }
      return Text.plain(String(cString: name))
    }
  }

  /// Returns the path of a process's program; nil for processes of other users.
  static func executable(of process: UInt32) -> String? {
    guard let path = g_file_read_link("/proc/\(process)/exe", nil) else { return nil }
    defer { g_free(path) }
    return String(cString: path)
  }

  /// Returns the name that the kernel has for a process's program.
  static func program(of process: UInt32) -> String? {
    (try? TextFile.contents(of: "/proc/\(process)/comm")).map { Text.plain(String($0.prefix { $0 != "\n" })) }
  }
}
