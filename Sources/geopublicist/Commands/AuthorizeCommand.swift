// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Glibc

/// `geopublicist authorize`: decides whether this user may have the location, asking if that is allowed.
final class AuthorizeCommand: Command {
  static let name = "authorize"
  static let summary = "Decide whether this user may have the location"

  static func declareOptions(_ parser: OptionParser) {
    parser.addSwitch("interactive", "i", "A dialog may be shown, or a password asked for on this terminal")
    parser.addText("accuracy", "a", "country, city, neighborhood, street or exact (default)", value: "LEVEL")
    parser.addText("desktop-id", nil, "The desktop file's name of the program that asks", value: "ID")
  }

  private let invocation: Invocation
  private let options: [(String, Value)]
  private var bridge: Bridge?
  private var agent: TerminalAgent?

  init(_ invocation: Invocation) throws(OptionParser.UsageError) {
    self.invocation = invocation
    var options: [(String, Value)] = []
    if let level = try invocation.parser.level("accuracy") { options.append(("accuracy", .string(level))) }
    if let id = invocation.parser.text("desktop-id") { options.append(("desktop-id", .string(id))) }
    self.options = options
  }

  func begin() {
    do throws(DBusError) {
      bridge = try Bridge(on: invocation.bus)
    } catch {
      return invocation.fail(error)
    }
    guard invocation.parser.isSet("interactive") else { return ask() }
    // In a session GeoClue decides, and polkit has no part in it.
    if invocation.bus == .system { agent = TerminalAgent { [weak self] in self?.ask() } }
    guard let agent else {
      invocation.output.showProgress("Waiting for an answer (Ctrl-C ends it)")
      return ask()
    }
    // The agent writes to this terminal, too: no line of progress beside its question.
    invocation.output.whenEnding { agent.end() }
  }

  private func ask() {
    bridge?.call(
      "RequestAuthorization", [.options(options)], timeout: .milliseconds(130_000),
      interactive: invocation.parser.isSet("interactive"), expecting: "ss"
    ) { [weak self] result in
      // Ctrl-C ends the agent, too, whose end is a no; that it was Ctrl-C is still on its way here.
      guard self?.isInterruptPending == false else { return }
      switch result {
      case .success(let values): self?.explain(values.compactMap(\.string))
      case .failure(let error): self?.invocation.fail(error)
      }
    }
  }

  private var isInterruptPending: Bool {
    var pending = sigset_t()
    return sigpending(&pending) == 0 && sigismember(&pending, SIGINT) == 1
  }

  func interrupted() {
    // The question is left standing without a line end.
    if agent != nil { StandardError.write("\n") }
    invocation.finish(ExitStatus.interrupted)
  }

  /// Shows the answer; where GeoClue decides, with what GeoClue does now.
  private func explain(_ answer: [String]) {
    guard answer[1] == AuthorizationReason.undecided.rawValue, !invocation.isJSON else {
      return show(answer, state: nil)
    }
    bridge?.readProperties { [weak self] result in
      let properties = try? result.get().properties
      self?.show(answer, state: properties?["State"]?.string)
    }
  }

  private func show(_ answer: [String], state: String?) {
    let (status, reason) = (answer[0], answer[1])
    let output = invocation.output
    output.clearProgress()
    if invocation.isJSON {
      output.line(
        JSONText.object([("AuthorizationStatus", .string(status)), ("AuthorizationReason", .string(reason))]))
    } else {
      output.line(Sentences.emphasis(status: status).around(status, output.hasColors))
      // polkit does not say which of the two it was; the desktop's settings have no part in it.
      let isAnswer = agent != nil && reason == AuthorizationReason.rejectedByAgent.rawValue
      output.line(
        isAnswer
          ? "The answer was no, or the password was wrong"
          : Sentences.authorization(reason: reason, state: state))
    }
    let isAuthorized = AuthorizationStatus(rawValue: status)?.isAuthorized ?? false
    invocation.finish(isAuthorized ? ExitStatus.success : ExitStatus.notAuthorized)
  }
}
