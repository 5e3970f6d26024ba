// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistProcessSupport
import Glibc

nonisolated enum Processes {
  /// Returns the name of a user, or the number if there is no name.
  static func userName(_ user: UInt32) -> String {
    guard let name = getpwuid(user)?.pointee.pw_name else { return "\(user)" }
    return Text.plain(String(cString: name))
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

/// Runs other programs to their end.
enum Program {
  /// Runs a program; returns why it failed, nil if it succeeded.
  static func run(_ words: [String]) -> String? { finish(words).problem }

  /// Runs a program and returns the first line of its output; nil if it failed.
  static func output(of words: [String]) -> String? {
    let (output, problem) = finish(words)
    return problem == nil ? output : nil
  }

  private static func finish(_ words: [String]) -> (output: String, problem: String?) {
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { g_strdup($0) } + [nil]
    defer { for argument in arguments { g_free(argument) } }
    var output: UnsafeMutablePointer<CChar>?
    var errors: UnsafeMutablePointer<CChar>?
    var status: gint = 0
    var error: UnsafeMutablePointer<GError>?
    defer {
      g_free(output)
      g_free(errors)
      g_clear_error(&error)
    }
    guard g_spawn_sync(nil, &arguments, nil, G_SPAWN_SEARCH_PATH, nil, nil, &output, &errors, &status, &error) != 0,
      g_spawn_check_wait_status(status, &error) != 0
    else {
      let said = errors.flatMap { String(cString: $0).split(separator: "\n").last.map { Text.plain(String($0)) } }
      return ("", said ?? error.map { String(cString: $0.pointee.message) } ?? "it failed")
    }
    return (output.map { String(String(cString: $0).prefix { $0 != "\n" }) } ?? "", nil)
  }
}
