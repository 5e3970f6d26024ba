// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
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

  /// The program's name as the kernel has it.
  static func program(of process: UInt32) -> String? {
    contents(of: "/proc/\(process)/comm").map { Text.plain(String($0.prefix { $0 != "\n" })) }
  }

  /// A small file's text; nil if it cannot be read.
  static func contents(of path: String) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    var length: gsize = 0
    guard g_file_get_contents(path, &text, &length, nil) != 0, let text else { return nil }
    defer { g_free(text) }
    return text.withMemoryRebound(to: UInt8.self, capacity: Int(length)) {
      String(decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self)
    }
  }
}
