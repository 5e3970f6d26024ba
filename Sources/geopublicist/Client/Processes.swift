// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistProcessSupport
import Glibc

/// Users and processes by name, for people to read.
nonisolated enum Processes {
  /// The user's name, or the number if there is none.
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

  /// Returns the path of the program's file; only of this user's own processes.
  static func executable(of process: UInt32) -> String? {
    guard let path = g_file_read_link("/proc/\(process)/exe", nil) else { return nil }
    defer { g_free(path) }
    return String(cString: path)
  }

  /// The program's name as the kernel has it.
  static func program(of process: UInt32) -> String? {
    (try? TextFile.contents(of: "/proc/\(process)/comm")).map { Text.plain(String($0.prefix { $0 != "\n" })) }
  }
}
