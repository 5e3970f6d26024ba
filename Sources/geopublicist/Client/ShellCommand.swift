// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A command line of the user's that is run when something happens.
enum ShellCommand {
  /// Runs it with `sh -c` to its end, with more variables in its environment; returns its wait status, nil if there is no
  /// shell. One run follows the other, so that a script never overtakes itself.
  static func run(_ line: String, _ variables: [(String, String)]) -> Int32? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    guard let process = RunningProgram.spawn(["/bin/sh", "-c", line], environment: variables, actions) else {
      return nil
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1 { guard errno == EINTR else { return nil } }
    return status
  }
}
