// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistProcessSupport
import Glibc
import MainLoop

enum Program {
  /// Whether a program can be run, by its path or by its name in `PATH`.
  static func exists(_ name: String) -> Bool {
    guard let path = g_find_program_in_path(name) else { return false }
    g_free(path)
    return true
  }

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
    guard g_spawn_sync(nil, &arguments, nil, cglib_spawn_search_path, nil, nil, &output, &errors, &status, &error) != 0,
      g_spawn_check_wait_status(status, &error) != 0
    else {
      let said = errors.flatMap { String(cString: $0).split(separator: "\n").last.map { String($0).printable } }
      return ("", said ?? error.map { String(cString: $0.pointee.message) } ?? tr("it failed"))
    }
    return (output.map { String(String(cString: $0).prefix { $0 != "\n" }) } ?? "", nil)
  }
}

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
  ///   - isApart: Whether the program does not use the terminal: it gets neither its Ctrl-C nor its standard error.
  ///   - onExit: Called with the exit status as shells report it: 128 plus the number for a signal.
  init?(
    _ words: [String], environment: [(String, String)] = [], isApart: Bool = false, _ onExit: @escaping (Int32) -> Void
  ) {
    guard let process = Self.spawn(words, environment: environment, isApart: isApart) else { return nil }
    self.process = process
    self.onExit = onExit
    if Self.signals == nil { Self.signals = UnixSignals([SIGCHLD]) { _ in Self.reap() } }
    Self.running[process] = self
    // The program may have ended before SIGCHLD was watched. Wait a turn, so that the caller has this object first.
    Self.first = MainLoop.main.nextTurn { Self.reap() }
  }

  /// Asks the program to end; `onExit` is called as usual.
  func terminate() { if Self.running[process] != nil { kill(process, SIGTERM) } }

  /// Asks the program to end, without calling `onExit`.
  func end() {
    onExit = nil
    terminate()
  }

  /// Ends the program and waits for that, at most two seconds, so that this process does not exit before it.
  func endAndWait() {
    end()
    guard Self.running.removeValue(forKey: process) != nil else { return }
    // Blocked, since the main loop reads it.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGCHLD)
    var limit = timespec(tv_sec: 2, tv_nsec: 0)
    var status: Int32 = 0
    while waitpid(process, &status, WNOHANG) == 0 {
      if sigtimedwait(&signals, nil, &limit) == -1, errno != EINTR { return }
    }
  }

  /// Starts a program, which gets `third` as its descriptor 3; returns nil if that fails, with the reason in `errno`.
  static func spawn(
    _ words: [String], environment added: [(String, String)] = [], isApart: Bool = false, third: Int32? = nil
  ) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if isApart { posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) }
    if let third { posix_spawn_file_actions_adddup2(&actions, third, 3) }
    // This process blocks the signals that the main loop reads and ignores SIGPIPE; the program must inherit neither.
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
    let group = isApart ? POSIX_SPAWN_SETPGROUP : 0
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group))

    guard let program = words.first else { return nil }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var environment = g_get_environ()
    defer { g_strfreev(environment) }
    for (name, value) in added { environment = g_environ_setenv(environment, name, value, 1) }
    var process: pid_t = 0
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
