// SPDX-License-Identifier: Apache-2.0
import DBus

/// The allClientFacts of all clients, each as long as its client is on the bus.
final class ClientFactsRegistry {
  private var allClientFacts: [BusName: ClientFacts] = [:]

  subscript(client: any GatekeeperClient) -> ClientFacts? { allClientFacts[client.name] }

  /// The clientFacts of a client, a new one if there is none; then `close` is called when the client has gone.
  func open(for client: any GatekeeperClient, _ close: @escaping () -> Void = {}) -> ClientFacts {
    if let clientFacts = allClientFacts[client.name] { return clientFacts }
    let clientFacts = ClientFacts()
    allClientFacts[client.name] = clientFacts
    client.onEnd = { [weak self, name = client.name] in
      self?.allClientFacts.removeValue(forKey: name)
      close()
    }
    return clientFacts
  }
}
