// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import Glibc
import MainLoop

/// A program that runs at the same time, on the same terminal.
final class RunningProgram {
  private static var running: [pid_t: RunningProgram] = [:]
  private static var signals: UnixSignals?
  private static var first: LoopSource?

  private let process: pid_t
  private var onExit: ((Int32) -> Void)?

  /// Starts a program; returns nil if that fails, with the reason in `errno`.
  ///
  /// - Parameters:
  ///   - environment: Variables to add to the environment of this process.
  ///   - isQuiet: Whether to discard the standard error of the program.
  ///   - onExit: Called with the status as a shell has it: 128 plus the number for a signal.
  init?(
    _ words: [String], environment: [(String, String)] = [], isQuiet: Bool = false, _ onExit: @escaping (Int32) -> Void
  ) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if isQuiet { posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) }
    guard let process = Self.spawn(words, environment: environment, actions) else { return nil }
    self.process = process
    self.onExit = onExit
    if Self.signals == nil { Self.signals = UnixSignals([SIGCHLD]) { _ in Self.reap() } }
    Self.running[process] = self
    // The program may have ended before SIGCHLD was watched. In the next turn, so that the caller has this object first.
    Self.first = MainLoop.main.nextTurn { Self.reap() }
  }

  /// Asks the program to end, without calling `onExit`.
  func end() {
    onExit = nil
    guard Self.running[process] != nil else { return }
    kill(process, SIGTERM)
  }

  /// Starts a program with these file actions; returns nil if that fails, with the reason in `errno`.
  static func spawn(
    _ words: [String], environment added: [(String, String)] = [], _ actions: posix_spawn_file_actions_t
  ) -> pid_t? {
    // This process blocks the signals that the main loop reads and ignores SIGPIPE; the program must not inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    var ignored = sigset_t()
    sigemptyset(&ignored)
    sigaddset(&ignored, SIGPIPE)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &ignored)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    guard let program = words.first else { return nil }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var environment = g_get_environ()
    defer { g_strfreev(environment) }
    for (name, value) in added { environment = g_environ_setenv(environment, name, value, 1) }
    var (process, actions): (pid_t, posix_spawn_file_actions_t) = (0, actions)
    let code = posix_spawnp(&process, program, &actions, &attributes, &arguments, environment)
    errno = code
    return code == 0 ? process : nil
  }

  private static func reap() {
    for (process, program) in running {
      var status: Int32 = 0
      guard waitpid(process, &status, WNOHANG) == process else { continue }
      running[process] = nil
      let signal = status & 0x7F
      program.onExit?(signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
    }
  }
}
