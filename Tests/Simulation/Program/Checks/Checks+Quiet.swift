// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// What must hold once things have been quiet.
extension Checks {
  /// Checks everything at the end of a quiet time.
  func quiet() {
    let now = world.schedule.now
    var isNeeded = false
    for client in world.clients where client.isConnected {
      for subscription in client.subscriptions where subscription.isStarted {
        truth(client, subscription)
        guard subscription.isPlain, subscription.level == .exact, client.entitlement.level == .exact else { continue }
        isNeeded = true
        guard world.geoclue.hasActiveClient, now - world.geoclue.lastFixAt < 2_000_000 else { continue }
        let silence = now - max(subscription.lastLocationAt, subscription.startedAt)
        if silence > world.geoclue.interval + 1_000_000 {
          broken(
            "the next fix reaches a permitted client within a second",
            "client \(client.number) has waited for \(silence / 1_000) ms at \(subscription.path)")
        }
      }
    }
    if isNeeded, !world.geoclue.hasActiveClient {
      broken("GeoClue is held while a permitted client waits", "it has \(world.geoclue.clientCount) clients")
    }
  }

  private func truth(_ client: Client, _ subscription: Client.Subscription) {
    let expected = world.truth.authorization(of: client, asking: subscription.level)
    guard let told = subscription.told else {
      return broken(
        "each started subscription is told its authorization", "\(subscription.path) of client \(client.number)")
    }
    if told != expected {
      broken(
        "what a client was told last is true",
        "client \(client.number) of \(client.user) was told \(told) at \(subscription.path), true is \(expected)")
    }
  }

  /// Checks that nothing remains a while after every client has left.
  func left() {
    if world.geoclue.isRunning, world.geoclue.clientCount > 0 {
      broken("GeoClue is not held when nobody needs it", "\(world.geoclue.clientCount) clients")
    }
    let sockets = world.bus.socketPeers
    let names = Set(sockets.map(\.name))
    let calls = world.bus.pending.filter { names.contains($0.key.caller) }
    if !calls.isEmpty { broken("no call is left", "\(calls.sorted { $0.key < $1.key }.map { "\($0)" })") }
    let matches = sockets.reduce(0) { $0 + $1.matches.count }
    let remains = Remains(matches: matches, connections: sockets.count)
    if let before = remainsBefore, world.servingSince != nil, remains.matches > before.matches + 2 {
      broken("no match rule is left", "\(remains.matches), before \(before.matches)")
    }
    if world.servingSince != nil { remainsBefore = remainsBefore ?? remains }
  }

  nonisolated struct Remains {
    let matches: Int
    let connections: Int
  }

  /// Lets every client ask for a location.
  func probe() {
    for client in world.clients where client.isConnected && world.schedule.now - client.entitlement.since > 10_000_000 {
      client.locateNow()
    }
  }
}
