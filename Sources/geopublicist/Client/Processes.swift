// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistProcessSupport
import Glibc

nonisolated enum Processes {
  /// Returns the name of a user, or the number if there is no name.
  static func userName(_ user: UInt32) -> String {
    guard let name = getpwuid(user)?.pointee.pw_name else { return "\(user)" }
    return String(cString: name).printable
  }

  /// Returns the path of a process's program; nil for processes of other users.
  static func executable(of process: UInt32) -> String? {
    guard let path = g_file_read_link("/proc/\(process)/exe", nil) else { return nil }
    defer { g_free(path) }
    return String(cString: path)
  }

  /// Returns the name that the kernel has for a process's program.
  static func program(of process: UInt32) -> String? {
    (try? TextFile.contents(of: "/proc/\(process)/comm")).map { String($0.prefix { $0 != "\n" }).printable }
  }

  /// Returns the words with which a process was started.
  static func words(of process: UInt32) -> [Substring] {
    ((try? TextFile.contents(of: "/proc/\(process)/cmdline")) ?? "").split(separator: "\0")
  }

  /// Returns whether a process is stopped, as by SIGSTOP or a debugger.
  static func isStopped(_ process: UInt32) -> Bool {
    let status = (try? TextFile.contents(of: "/proc/\(process)/stat")) ?? ""
    // After the name of the program, which may contain anything.
    return status.split(separator: ")").last?.first { $0 != " " }.map { "Tt".contains($0) } ?? false
  }
}
