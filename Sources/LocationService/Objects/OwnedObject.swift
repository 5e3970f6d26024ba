// SPDX-License-Identifier: Apache-2.0
import DBus

/// An object on the bus that belongs to one client.
protocol OwnedObject: AnyObject {
  var kind: ObjectKind { get }
  var number: UInt64 { get }
  var client: Client { get }
  /// Whether the client is served.
  var isActive: Bool { get }
  /// The row of `ListSubscriptions`, which never has a coordinate.
  var listEntry: Value { get }
  /// Handles an event.
  func handle(_ event: ClientEvent)
  /// Asks the gatekeeper again.
  func refresh()
  /// The device may be somewhere else.
  func checkNow()
}

/// What clients can create; the raw values are those of `Kind` in `ListSubscriptions`.
nonisolated enum ObjectKind: String, CaseIterable, Sendable {
  case subscription
  case region

  /// How many a connection, a user and all together may have.
  var limits: (perConnection: Limits.Key, perUser: Limits.Key, whole: Limits.Key) {
    switch self {
    case .subscription: (.subscriptionsPerConnection, .subscriptionsPerUser, .subscriptions)
    case .region: (.regionsPerConnection, .regionsPerUser, .regions)
    }
  }

  /// The interface of the objects.
  var interface: InterfaceName {
    switch self {
    case .subscription: ServiceNames.subscription
    case .region: ServiceNames.region
    }
  }

  /// The path above the objects.
  var path: ObjectPath {
    switch self {
    case .subscription: ServiceNames.subscriptionsPath
    case .region: ServiceNames.regionsPath
    }
  }
}
