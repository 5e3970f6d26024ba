// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// The program that this process runs.
nonisolated public enum OwnProgram {
  /// The folder that contains it; nil if /proc cannot be read.
  public static var folder: String? {
    guard let program = g_file_read_link("/proc/self/exe", nil) else { return nil }
    defer { g_free(program) }
    guard let folder = g_path_get_dirname(program) else { return nil }
    defer { g_free(folder) }
    return String(cString: folder)
  }

  /// The folder that contains that one and, beside it, the data in `share`.
  public static var prefix: String? {
    folder.flatMap { folder in folder.lastIndex(of: "/").map { String(folder[..<$0]) } }
  }
}
