// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Glibc
import MainLoop

/// `--interactive`: has the user asked, in a dialog of the desktop or on this terminal.
///
/// polkit keeps the answer for the connection that asked, so that the command uses the location on the same one.
final class AuthorizationPrompt {
  typealias Answer = (status: String, reason: String)

  private let invocation: Invocation
  private let service: ServiceConnection
  private var agent: TerminalAgent?
  private var begin: Int64 = 0

  private static let option = "interactive"

  /// Declares the option; `letter` is its short form.
  static func declare(_ parser: OptionParser, letter: Character? = nil) {
    parser.addSwitch(option, letter, "A dialog may be shown, or a password asked for on this terminal")
  }

  init(_ invocation: Invocation, on service: ServiceConnection) {
    self.invocation = invocation
    self.service = service
  }

  private var isInteractive: Bool { invocation.parser.isSet(Self.option) }

  /// Has the user asked if `--interactive` is given, and continues unless the answer is no.
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

  /// Asks, interactively if `--interactive` is given; a failed call ends the program.
  func ask(_ options: ClientOptions, _ handler: @escaping (Answer) -> Void) {
    guard isInteractive else { return request(options, handler) }
    // In a session GeoClue decides, and polkit has no part in it.
    if invocation.bus == .system { agent = TerminalAgent { [weak self] in self?.request(options, handler) } }
    guard let agent else {
      invocation.output.showProgress("Waiting for an answer (Ctrl-C ends it)")
      return request(options, handler)
    }
    // The agent writes to this terminal, too: no line of progress beside its question.
    invocation.output.whenEnding { [weak self] in if self?.agent != nil { agent.end() } }
  }

  private func request(_ options: ClientOptions, _ handler: @escaping (Answer) -> Void) {
    begin = MainLoop.main.clock.monotonic()
    service.requestAuthorization(options, isInteractive: isInteractive) { [self] result in
      // Ctrl-C ends the agent, too, whose end is a no; that it was Ctrl-C is still on its way here.
      guard !isInterruptPending else { return }
      switch result {
      case .success(let answer):
        invocation.output.clearProgress()
        handler(answer)
        // Only now: what is said depends on it, and what follows may draw on the terminal.
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

  /// Ctrl-C: the question is left standing without a line end.
  func interrupted() { if agent != nil { StandardError.write("\n") } }

  /// What an answer means; `state` is that of the upstream, if it is known.
  func explanation(of answer: Answer, state: String? = nil) -> String {
    let reason = AuthorizationReason(rawValue: answer.reason)
    let seconds = (MainLoop.main.clock.monotonic() - begin) / 1_000_000
    return Self.explanation(
      of: reason, afterSeconds: isInteractive ? seconds : nil, onTerminal: agent != nil)
      ?? Sentences.authorization(reason: answer.reason, state: state)
  }

  /// What the reason does not say: how the question ended. `seconds` is how long there was one, nil without a question.
  nonisolated static func explanation(
    of reason: AuthorizationReason?, afterSeconds seconds: Int64?, onTerminal: Bool
  ) -> String? {
    guard let seconds else { return nil }
    switch reason {
    // polkit does not say which of the two it was; the desktop's settings have no part in it.
    case .rejectedByAgent where onTerminal: return "The answer was no, or the password was wrong"
    case .rejectedByAgent:
      return "The dialog was cancelled or the answer was no; call the command again to be asked again"
    // The service gives a dialog up after 119 s.
    case .authorizationRequired where seconds >= 110: return "Nobody answered within two minutes"
    case .authorizationRequired:
      return "Nobody could be asked: no polkit agent runs in this session; call the command on a terminal, where "
        + "pkttyagent asks for the password"
    default: return nil
    }
  }
}
