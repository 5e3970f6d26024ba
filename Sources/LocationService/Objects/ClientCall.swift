// SPDX-License-Identifier: Apache-2.0
import DBus

/// A call that waits for a decision or a location.
protocol PendingRequest: AnyObject {
  func handle(_ event: ClientEvent)
  /// Queries the gatekeeper again.
  func refresh()
}

/// The common part of calls that are answered by a state machine.
class ClientCall<Machine: ClientMachine>: ClientShell<Machine>, PendingRequest {
  final let call: MethodCall

  init(_ call: MethodCall, _ machine: Machine, from client: Client, in host: any ClientHost) {
    self.call = call
    super.init(machine, of: client, in: host)
  }

  /// Answers immediately or starts waiting.
  final func begin(_ actions: [ClientAction]) {
    client.add(self)
    perform(actions)
    refresh()
    host.gatekeeper.prepare(client) { [weak self] in
      self?.refresh()
      self?.handle(.prepared)
    }
  }

  override func send(_ action: ClientAction) { if case .refuse(let error) = action { call.fail(error) } }

  override func finish(_ reason: ClosedReason?) { client.remove(self) }
}
