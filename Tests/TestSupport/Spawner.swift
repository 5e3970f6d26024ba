// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Starts processes from a thread that lives as long as this process.
///
/// A child's parent-death signal is sent when the *thread* that started it ends, and here the main actor runs on
/// dispatch's worker threads, which may end at any time.
nonisolated final class Spawner: Sendable {
  static let shared = Spawner()

  struct Request: Sendable {
    let arguments: [String]
    let environment: [String]
    let standardInput: Int32
    let standardOutput: Int32
    let standardError: Int32
  }

  private let turn = NSLock()
  private let requested = DispatchSemaphore(value: 0)
  private let done = DispatchSemaphore(value: 0)
  private let exchange = Exchange()

  /// Used by the holder of `turn`, and by the thread between `requested` and `done`.
  private final class Exchange: @unchecked Sendable {
    var request: Request?
    var result: Result<pid_t, POSIXError>?
  }

  private init() {
    // A write to a child that has ended returns an error instead of ending this process.
    signal(SIGPIPE, SIG_IGN)
    let thread = Thread { [self] in
      while true {
        requested.wait()
        exchange.result = exchange.request.map { request in Result { () throws(POSIXError) in try start(request) } }
        done.signal()
      }
    }
    thread.name = "spawner"
    thread.start()
  }

  /// Starts a process in a new process group. It inherits descriptors that are not close-on-exec.
  func spawn(_ request: Request) throws -> pid_t {
    turn.lock()
    defer { turn.unlock() }
    exchange.request = request
    requested.signal()
    done.wait()
    guard let result = exchange.result else { throw POSIXError(.EINVAL) }
    return try result.get()
  }

  private func start(_ request: Request) throws(POSIXError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, request.standardInput, 0)
    posix_spawn_file_actions_adddup2(&actions, request.standardOutput, 1)
    posix_spawn_file_actions_adddup2(&actions, request.standardError, 2)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A main loop in this process may have blocked signals; a child starts with none blocked and none ignored.
    var none = sigset_t()
    sigemptyset(&none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

    var arguments = request.arguments.map { strdup($0) } + [nil]
    var environment = request.environment.map { strdup($0) } + [nil]
    defer { for text in arguments + environment { free(text) } }
    var process: pid_t = 0
    let failure = posix_spawnp(&process, request.arguments[0], &actions, &attributes, &arguments, &environment)
    guard failure == 0 else { throw POSIXError(POSIXError.Code(rawValue: failure) ?? .EINVAL) }
    return process
  }
}
