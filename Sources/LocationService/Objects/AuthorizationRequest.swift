// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop

/// One `RequestAuthorization` call, driven by an ``AuthorizationRequestMachine``.
final class AuthorizationRequest: ClientCall<AuthorizationRequestMachine> {
  private var prompt: Prompt?
  private var isAsking = false

  /// Creates the request for a call that arrived at `arrival`.
  init(_ call: MethodCall, at arrival: UInt64, from client: Client, _ options: ClientOptions, in host: any ClientHost) {
    let machine = AuthorizationRequestMachine(
      options, host.sourceStatus, isInteractive: call.allowsInteractiveAuthorization, at: arrival,
      sourceDecides: host.gatekeeper.sourceDecides)
    super.init(call, machine, from: client, in: host)
  }

  func begin() { begin(withMachine { $0.begin() }) }

  override var standing: Standing {
    var standing = super.standing
    standing.canAsk = host.gatekeeper.wouldAsk(client, asking: machine.options.accuracy, as: machine.options.desktopID)
    return standing
  }

  override func send(_ action: ClientAction) {
    switch action {
    case .openDialog: openDialog()
    case .reply(let authorization):
      call.reply(.string(authorization.status.rawValue), .string(authorization.reason.rawValue))
    default: super.send(action)
    }
  }

  override func finish(_ reason: ClosedReason?) {
    if isAsking { host.releasePrompt(of: client) }
    prompt?.cancel()
    prompt = nil
    super.finish(reason)
  }

  private func openDialog() {
    if let limit = host.reservePrompt(for: client) { return handle(.dialogUnavailable(limit)) }
    isAsking = true
    let prompt = host.gatekeeper.ask(
      client, asking: machine.options.accuracy, as: machine.options.desktopID
    ) { [weak self] authorization in self?.handle(.dialogEnded(authorization)) }
    if !isOver { self.prompt = prompt }
  }
}
