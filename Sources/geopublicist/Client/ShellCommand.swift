// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A command line of the user's that is run when something happens.
nonisolated enum ShellCommand {
  /// Runs it with `sh -c` to its end, with more variables in its environment; nil if there is no shell. One run follows the
  /// other, so that a script never overtakes itself.
  static func run(_ line: String, _ variables: [(String, String)]) -> Int32? {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The signals that the main loop reads are blocked here, and a broken pipe is ignored: neither is for a child.
    var none = sigset_t()
    sigemptyset(&none)
    var ignored = sigset_t()
    sigemptyset(&ignored)
    sigaddset(&ignored, SIGPIPE)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &ignored)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var arguments: [UnsafeMutablePointer<CChar>?] = ["sh", "-c", line].map { (word: String) in strdup(word) } + [nil]
    var environment = variables.map { strdup("\($0.0)=\($0.1)") } + inherited() + [nil]
    defer { for text in arguments + environment { free(text) } }
    var process: pid_t = 0
    guard posix_spawn(&process, "/bin/sh", nil, &attributes, &arguments, &environment) == 0 else { return nil }
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1 { guard errno == EINTR else { return nil } }
    return status
  }

  private static func inherited() -> [UnsafeMutablePointer<CChar>?] {
    var copies: [UnsafeMutablePointer<CChar>?] = []
    var index = 0
    while let variable = environ[index] {
      copies.append(strdup(variable))
      index += 1
    }
    return copies
  }
}
