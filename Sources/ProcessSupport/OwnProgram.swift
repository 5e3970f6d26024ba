// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// The program that this process runs.
nonisolated public enum OwnProgram {
  /// The folder that contains it, beside which its data are installed; nil if /proc cannot be read.
  public static var folder: String? {
    guard let program = g_file_read_link("/proc/self/exe", nil) else { return nil }
    defer { g_free(program) }
    guard let folder = g_path_get_dirname(program) else { return nil }
    defer { g_free(folder) }
    return String(cString: folder)
  }
}
