// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// Other programs that the command runs.
enum Program {
  /// Runs a program to its end; returns what was wrong, nil if nothing was.
  static func run(_ words: [String]) -> String? {
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { g_strdup($0) } + [nil]
    defer { for argument in arguments { g_free(argument) } }
    var errors: UnsafeMutablePointer<CChar>?
    var status: gint = 0
    var error: UnsafeMutablePointer<GError>?
    let flags = GSpawnFlags(rawValue: G_SPAWN_SEARCH_PATH.rawValue | G_SPAWN_STDOUT_TO_DEV_NULL.rawValue)
    defer {
      g_free(errors)
      g_clear_error(&error)
    }
    guard g_spawn_sync(nil, &arguments, nil, flags, nil, nil, nil, &errors, &status, &error) != 0,
      g_spawn_check_wait_status(status, &error) != 0
    else {
      let said = errors.map { Text.plain(String(cString: $0).split(separator: "\n").last.map(String.init) ?? "") } ?? ""
      return said.isEmpty ? error.map { String(cString: $0.pointee.message) } ?? "it failed" : said
    }
    return nil
  }
}
