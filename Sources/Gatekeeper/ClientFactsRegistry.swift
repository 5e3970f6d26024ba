// SPDX-License-Identifier: Apache-2.0
import DBus

/// Holds the facts about each client while it is on the bus.
final class ClientFactsRegistry {
  private var facts: [BusName: ClientFacts] = [:]

  subscript(client: any GatekeeperClient) -> ClientFacts? { facts[client.name] }

  /// Returns a client's facts, creating them if necessary. `close` is called when a client whose facts were created
  /// here leaves.
  func open(for client: any GatekeeperClient, _ close: @escaping () -> Void = {}) -> ClientFacts {
    if let entry = facts[client.name] { return entry }
    let entry = ClientFacts()
    facts[client.name] = entry
    client.onEnd = { [weak self, name = client.name] in
      self?.facts.removeValue(forKey: name)
      close()
    }
    return entry
  }
}
