// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// Checks what clients read of the service's objects.
extension Checks {
  /// A client has received the rows of `ListSubscriptions`.
  func listed(_ rows: [Value], to client: Client) {
    guard client.user != 0 else { return }
    for row in rows {
      guard let user = row.properties?["UserId"]?.uint32, user != client.user else { continue }
      broken("a user sees no objects of others", "client \(client.number) of \(client.user) sees one of \(user)")
    }
  }

  /// A client has received the paths of the subscriptions that the service shows it.
  func introspected(_ paths: [String], to client: Client, afterClosing closed: Set<String>) {
    for path in paths {
      if let owner = owner(of: path), owner != client.name {
        broken("a user sees no objects of others", "client \(client.number) sees \(path) of \(owner)")
      }
      if closed.contains(path) { broken("no object remains after it was closed", path) }
    }
  }

  /// A client has read the last event of its region.
  func read(_ event: [String: Value], of region: Client.Region, by client: Client) {
    guard let state = event["State"]?.string, state != "unknown", client.isReading else { return }
    let entitled = max(
      client.entitlement.finest(at: world.schedule.now, since: world.sentSince), world.truth.answeredLevel(of: client))
    if entitled == .none { broken("a client without access cannot read where it was", "State: \(region.path)") }
  }
}
