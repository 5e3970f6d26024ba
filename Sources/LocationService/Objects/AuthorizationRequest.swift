// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop

/// One `RequestAuthorization` call, driven by an ``AuthorizationRequestMachine``.
final class AuthorizationRequest: ClientShell<AuthorizationRequestMachine>, PendingRequest {
  private let call: MethodCall
  private var prompt: Prompt?
  private var isAsking = false

  /// Creates the request for a call that arrived at `arrival`.
  init(
    _ call: MethodCall, at arrival: UInt64, from client: Client, _ options: ClientOptions, in host: any ClientHost
  ) {
    self.call = call
    super.init(
      AuthorizationRequestMachine(
        options, host.sourceStatus, isInteractive: call.allowsInteractiveAuthorization, at: arrival,
        sourceDecides: host.gatekeeper.sourceDecides),
      of: client, in: host)
  }

  /// Answers immediately or starts waiting.
  func begin() {
    client.add(self)
    perform(withMachine { $0.begin() })
    refresh()
    host.gatekeeper.prepare(client) { [weak self] in
      self?.refresh()
      self?.handle(.prepared)
    }
  }

  override var standing: Standing {
    var standing = super.standing
    standing.canAsk = host.gatekeeper.wouldAsk(
      client, asking: machine.options.accuracy, as: machine.options.desktopID)
    return standing
  }

  override func send(_ action: ClientAction) {
    switch action {
    case .openDialog: openDialog()
    case .reply(let authorization):
      call.reply(.string(authorization.status.rawValue), .string(authorization.reason.rawValue))
    case .refuse(let refusal): call.fail(DBusError(refusal))
    default: break
    }
  }

  override func finish(_ reason: ClosedReason?) {
    if isAsking { host.releasePrompt(of: client) }
    prompt?.cancel()
    prompt = nil
    client.remove(self)
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
