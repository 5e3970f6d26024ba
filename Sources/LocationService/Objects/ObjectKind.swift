// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract

/// The kinds of objects that clients can create. Raw values as in `Kind` of `ListSubscriptions`.
nonisolated enum ObjectKind: String, CaseIterable, Sendable {
  case subscription
  case region
  case almanac

  var limits: (perConnection: Limits.Key, perUser: Limits.Key, whole: Limits.Key) {
    switch self {
    case .subscription, .almanac: (.subscriptionsPerConnection, .subscriptionsPerUser, .subscriptions)
    case .region: (.regionsPerConnection, .regionsPerUser, .regions)
    }
  }

  /// The kind with which this one shares its limits.
  var counted: ObjectKind { self == .almanac ? .subscription : self }

  var interface: InterfaceName {
    switch self {
    case .subscription: SubscriptionInterface.interface
    case .region: RegionInterface.interface
    case .almanac: AlmanacInterface.interface
    }
  }

  var path: ObjectPath {
    switch self {
    case .subscription: ServiceContract.subscriptionsPath
    case .region: ServiceContract.regionsPath
    case .almanac: ServiceContract.almanacsPath
    }
  }
}
