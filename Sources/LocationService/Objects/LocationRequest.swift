// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop

/// One `GetLocation` call, driven by a ``LocationRequestMachine``.
final class LocationRequest: ClientCall<LocationRequestMachine> {
  /// Creates the request for a call that arrived at `arrival`.
  init(_ call: MethodCall, at arrival: UInt64, from client: Client, _ options: ClientOptions, in host: any ClientHost) {
    let machine = LocationRequestMachine(
      options, host.sourceStatus, at: arrival, sourceDecides: host.gatekeeper.sourceDecides)
    super.init(call, machine, from: client, in: host)
  }

  func begin() { begin([.armTimer(machine.nextTime)]) }

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
    guard case .deliver(let delivery) = action else { return super.send(action) }
    call.reply(delivery.value(age: delivery.age(at: now)))
  }
}
