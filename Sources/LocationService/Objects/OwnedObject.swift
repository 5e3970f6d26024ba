// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract

/// An object on the bus that belongs to one client.
protocol OwnedObject: AnyObject {
  var kind: ObjectKind { get }
  var number: UInt64 { get }
  var client: Client { get }
  /// Whether the object is started and its owner authorized.
  var isActive: Bool { get }
  /// The object's row in `ListSubscriptions`, which never contains a coordinate.
  var listEntry: Value { get }
  func handle(_ event: ClientEvent)
  /// Queries the gatekeeper again.
  func refresh()
  /// Makes periodic checks due now, because the device may have moved.
  func checkNow()
}

/// The kinds of objects that clients can create. Raw values as in `Kind` of `ListSubscriptions`.
nonisolated enum ObjectKind: String, CaseIterable, Sendable {
  case subscription
  case region

  var limits: (perConnection: Limits.Key, perUser: Limits.Key, whole: Limits.Key) {
    switch self {
    case .subscription: (.subscriptionsPerConnection, .subscriptionsPerUser, .subscriptions)
    case .region: (.regionsPerConnection, .regionsPerUser, .regions)
    }
  }

  var interface: InterfaceName {
    switch self {
    case .subscription: ServiceContract.subscription
    case .region: ServiceContract.region
    }
  }

  var path: ObjectPath {
    switch self {
    case .subscription: ServiceContract.subscriptionsPath
    case .region: ServiceContract.regionsPath
    }
  }
}
