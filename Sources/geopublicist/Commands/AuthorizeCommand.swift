// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport

final class AuthorizeCommand: Command {
  static let name = "authorize"
  static let summary = tr("Show whether this user has access to the location")
  static let examples: Examples = [
    ("authorize", tr("Show whether this user has access to the exact location.")),
    ("authorize --interactive -a city", tr("Ask the user to allow the approximate location.")),
  ]

  static func declareOptions(_ parser: OptionParser) {
    AuthorizationPrompt.declare(parser, letter: "i")
    SubscriptionArguments.declare(parser, ClientOption.ofAuthorization)
  }

  let invocation: Invocation
  private let options: ClientOptions

  init(_ invocation: Invocation) throws(UsageError) {
    self.invocation = invocation
    options = try SubscriptionArguments.read(ClientOption.ofAuthorization, invocation.parser)
  }

  func begin() {
    guard let service = invocation.connect() else { return }
    invocation.makePrompt(on: service).ask(options) { [weak self] answer in self?.explain(answer) }
  }

  /// Shows the answer. While it is undecided, the sentence depends on the state of GeoClue.
  private func explain(_ answer: AuthorizationPrompt.Answer) {
    guard answer.reason == AuthorizationReason.undecided.rawValue, !invocation.isJSON else {
      return show(answer, state: nil)
    }
    invocation.service?.get(Location1Interface.state) { [weak self] result in
      self?.show(answer, state: try? result.get())
    }
  }

  private func show(_ answer: AuthorizationPrompt.Answer, state: String?) {
    let (status, reason) = answer
    let output = invocation.output
    output.clearProgress()
    let explanation = invocation.prompt?.explanation(of: answer, state: state) ?? ""
    invocation.show(
      [Sentences.emphasis(status: status).around(status, output.hasColors)]
        + (output.isTerminal ? Text.wrapped(explanation, to: output.columns) : [explanation]),
      orJSON: [
        JSONText.object([("AuthorizationStatus", .string(status)), ("AuthorizationReason", .string(reason))])
      ])
    let isAuthorized = AuthorizationStatus(rawValue: status)?.isAuthorized ?? false
    invocation.finish(isAuthorized ? ExitStatus.success : ExitStatus.notAuthorized)
  }
}
