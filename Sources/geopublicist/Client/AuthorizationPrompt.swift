// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Glibc
import MainLoop

/// `--interactive`: lets polkit ask the user, in a dialog of the desktop or on this terminal.
///
/// The answer holds for the connection that asked, so the command uses the location on the same connection.
final class AuthorizationPrompt {
  typealias Answer = (status: String, reason: String)

  /// Owns this object.
  private unowned let invocation: Invocation
  private let service: ServiceConnection
  private var agent: TerminalAgent?
  private var begin = MonotonicInstant.origin

  private static let option = "interactive"

  static func declare(_ parser: OptionParser, letter: Character? = nil) {
    parser.addSwitch(option, letter, tr("Allow a dialog, or a password prompt on this terminal"))
  }

  init(_ invocation: Invocation, on service: ServiceConnection) {
    self.invocation = invocation
    self.service = service
  }

  private var isInteractive: Bool { invocation.parser.isSet(Self.option) }

  /// Lets the user be asked if `--interactive` is given, and continues unless access is refused.
  func obtain(_ options: ClientOptions, then action: @escaping () -> Void) {
    guard isInteractive else { return action() }
    ask(options) { [self] answer in
      let isOpen = [.undecided, .noAgent].contains(AuthorizationReason(rawValue: answer.reason))
      guard AuthorizationStatus(rawValue: answer.status)?.isAuthorized == true || isOpen else {
        invocation.complain(explanation(of: answer))
        return invocation.finish(ExitStatus.notAuthorized)
      }
      action()
    }
  }

  /// Requests the authorization, interactively if `--interactive` is given; a failed call ends the program.
  func ask(_ options: ClientOptions, _ handler: @escaping (Answer) -> Void) {
    guard isInteractive else { return request(options, handler) }
    // On the session bus GeoClue decides, without polkit.
    if invocation.bus == .system { agent = TerminalAgent { [weak self] in self?.request(options, handler) } }
    guard let agent else {
      invocation.output.showProgress(tr("Waiting for an answer (Ctrl-C stops)"))
      return request(options, handler)
    }
    // No progress line, since the agent asks its question on the same terminal.
    invocation.output.whenEnding { [weak self] in if self?.agent != nil { agent.end() } }
  }

  private func request(_ options: ClientOptions, _ handler: @escaping (Answer) -> Void) {
    begin = MainLoop.main.clock.monotonic()
    service.requestAuthorization(options, isInteractive: isInteractive) { [self] result in
      // Ctrl-C also ends the agent, which polkit treats as a refusal. The signal itself has not been read yet.
      guard !isInterruptPending else { return }
      switch result {
      case .success(let answer):
        invocation.output.clearProgress()
        handler(answer)
        // The agent ends after the handler, whose explanation depends on the agent.
        agent?.end()
        agent = nil
      case .failure(let error): invocation.fail(error)
      }
    }
  }

  private var isInterruptPending: Bool {
    var pending = sigset_t()
    return sigpending(&pending) == 0 && sigismember(&pending, SIGINT) == 1
  }

  /// Ends the line of the agent's question after Ctrl-C.
  func interrupted() { if agent != nil { StandardError.write("\n") } }

  /// Explains an answer; `state` is the property `State`, if known.
  func explanation(of answer: Answer, state: String? = nil) -> String {
    let reason = AuthorizationReason(rawValue: answer.reason)
    let seconds = (MainLoop.main.clock.monotonic() - begin).components.seconds
    return Self.explanation(of: reason, afterSeconds: isInteractive ? seconds : nil, onTerminal: agent != nil)
      ?? Sentences.authorization(reason: answer.reason, state: state)
  }

  /// Explains how a question ended, which the reason alone does not show.
  ///
  /// - Parameter seconds: How long the question took; nil if there was none.
  nonisolated static func explanation(
    of reason: AuthorizationReason?, afterSeconds seconds: Int64?, onTerminal: Bool
  ) -> String? {
    guard let seconds else { return nil }
    switch reason {
    // polkit does not distinguish the two.
    case .rejectedByAgent where onTerminal: return tr("Permission was denied, or the password was wrong")
    case .rejectedByAgent:
      return tr("The dialog was cancelled or permission was denied; run the command again to be asked again")
    // The service ends a dialog after 119 s.
    case .authorizationRequired where seconds >= 110: return tr("The dialog was not answered within two minutes")
    case .authorizationRequired:
      return tr(
        "The user could not be asked: no polkit agent is running in this session; run the command on a terminal, where "
          + "pkttyagent asks for the password")
    default: return nil
    }
  }
}

/// polkit's agent for terminals, which asks for a password on this terminal, as for `systemctl` and `pkexec`.
///
/// polkit uses it only if the session has no other polkit agent; otherwise the desktop shows its dialog.
final class TerminalAgent {
  private let process: pid_t
  private let readEnd: Int32
  private var watch: LoopSource?
  private var onReady: (() -> Void)?

  /// Starts the polkit agent and calls `onReady` once when it is registered or has ended. Returns nil if standard input
  /// is not a terminal, or if the program is not installed.
  init?(_ onReady: @escaping () -> Void) {
    guard isatty(STDIN_FILENO) == 1 else { return nil }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[1]) }
    let words = ["pkttyagent", "--notify-fd", "3", "--fallback"]
    guard let process = RunningProgram.spawn(words, third: ends[1]) else {
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
}
