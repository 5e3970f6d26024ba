// SPDX-License-Identifier: Apache-2.0
import Glibc
import MainLoop

/// polkit's agent for terminals, which asks for a password on this terminal, as for `systemctl` and `pkexec`.
///
/// polkit uses it only if the session has no other polkit agent; otherwise the desktop shows its dialog.
final class TerminalAgent {
  private static let program = "pkttyagent"

  private let process: pid_t
  private let readEnd: Int32
  private var watch: LoopSource?
  private var onReady: (() -> Void)?

  /// Starts the polkit agent and calls `onReady` once when it is registered or has ended. Returns nil if standard input is
  /// no terminal, or if the program is not installed.
  init?(_ onReady: @escaping () -> Void) {
    guard isatty(STDIN_FILENO) == 1 else { return nil }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[1]) }
    guard let process = Self.spawn(ends[1]) else {
      close(ends[0])
      return nil
    }
    self.process = process
    self.onReady = onReady
    readEnd = ends[0]
    // The program closes the other end when it is registered.
    watch = MainLoop.main.watch(descriptor: readEnd, for: .hangUp) { [weak self] _ in self?.ready() }
  }

  /// Ends the polkit agent, which restores the terminal.
  func end() {
    watch?.cancel()
    close(readEnd)
    kill(process, SIGTERM)
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
  }

  private func ready() {
    watch?.cancel()
    let action = onReady
    onReady = nil
    action?()
  }

  /// Starts the program with a descriptor that it closes when it is registered.
  private static func spawn(_ descriptor: Int32) -> pid_t? {
    let notified: Int32 = 3
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, descriptor, notified)

    return RunningProgram.spawn([program, "--notify-fd", "\(notified)", "--fallback"], actions)
  }
}
