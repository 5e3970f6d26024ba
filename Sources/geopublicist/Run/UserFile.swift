// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistProcessSupport

/// Files in the user's configuration that no other user may read.
enum UserFile {
  /// Replaces a file at once, in a folder that is made if it is missing.
  static func write(_ text: String, to path: String, in folder: String) throws(KeyFile.FileError) {
    g_mkdir_with_parents(folder, 0o700)
    var error: UnsafeMutablePointer<GError>?
    guard
      g_file_set_contents_full(path, text, gssize(text.utf8.count), G_FILE_SET_CONTENTS_CONSISTENT, 0o600, &error) != 0
    else {
      let message = error.map { String(cString: $0.pointee.message) } ?? "it cannot be written"
      g_clear_error(&error)
      throw KeyFile.FileError(path, message)
    }
  }
}
