// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop

/// One `GetLocation` call, driven by a ``LocationRequestMachine``.
final class LocationRequest: ClientShell<LocationRequestMachine>, PendingRequest {
  private let call: MethodCall

  /// Creates the request for a call that arrived at `arrival`.
  init(
    _ call: MethodCall, at arrival: UInt64, from client: Client, _ options: ClientOptions, in host: any ClientHost
  ) {
    self.call = call
    super.init(
      LocationRequestMachine(
        options, host.sourceStatus, at: arrival, sourceDecides: host.gatekeeper.sourceDecides),
      of: client, in: host)
  }

  /// Answers immediately or starts waiting.
  func begin() {
    client.add(self)
    perform([.armTimer(machine.nextTime)])
    refresh()
    host.gatekeeper.prepare(client) { [weak self] in
      self?.refresh()
      self?.handle(.prepared)
    }
  }

  override var standing: Standing {
    var standing = super.standing
    let level = standing.authorization.revealedLevel(asked: machine.options.accuracy)
    if standing.authorization.isAuthorized, let arrival = host.locations.newestArrival,
      machine.accepts(arrivedAt: arrival, at: now)
    {
      standing.cached = host.locations.newest(for: level)
    }
    return standing
  }

  override func send(_ action: ClientAction) {
    switch action {
    case .deliver(let delivery): call.reply(delivery.value(age: delivery.age(at: now)))
    case .refuse(let refusal): call.fail(DBusError(refusal))
    default: break
    }
  }

  override func finish(_ reason: ClosedReason?) { client.remove(self) }
}
