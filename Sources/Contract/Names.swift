// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Written by: swift package generate-dbus dbus/org.geopublicist.Location1.xml dbus/org.geopublicist.Location1.Subscription.xml dbus/org.geopublicist.Location1.Region.xml dbus/org.geopublicist.Location1.Almanac.xml Sources/Contract/Names.swift --parts names --access package
import DBus

/// The names of `org.geopublicist.Location1`.
package nonisolated enum Location1Interface {
  /// The interface itself.
  package static let interface: InterfaceName = "org.geopublicist.Location1"
  package static let authorizationMessage: MemberName = "AuthorizationMessage"
  package static let authorizationReason: MemberName = "AuthorizationReason"
  package static let authorizationStatus: MemberName = "AuthorizationStatus"
  package static let availableAccuracy: MemberName = "AvailableAccuracy"
  package static let createAlmanac: MemberName = "CreateAlmanac"
  package static let createRegion: MemberName = "CreateRegion"
  package static let createSubscription: MemberName = "CreateSubscription"
  package static let getAlmanac: MemberName = "GetAlmanac"
  package static let getLocation: MemberName = "GetLocation"
  package static let inUse: MemberName = "InUse"
  package static let limits: MemberName = "Limits"
  package static let listSubscriptions: MemberName = "ListSubscriptions"
  package static let requestAuthorization: MemberName = "RequestAuthorization"
  package static let state: MemberName = "State"
  package static let stateMessage: MemberName = "StateMessage"
  package static let stateReason: MemberName = "StateReason"
  package static let version: MemberName = "Version"
}

/// The names of `org.geopublicist.Location1.Subscription`.
package nonisolated enum SubscriptionInterface {
  /// The interface itself.
  package static let interface: InterfaceName = "org.geopublicist.Location1.Subscription"
  package static let accuracy: MemberName = "Accuracy"
  package static let active: MemberName = "Active"
  package static let authorizationChanged: MemberName = "AuthorizationChanged"
  package static let authorizationMessage: MemberName = "AuthorizationMessage"
  package static let authorizationReason: MemberName = "AuthorizationReason"
  package static let authorizationStatus: MemberName = "AuthorizationStatus"
  package static let close: MemberName = "Close"
  package static let closed: MemberName = "Closed"
  package static let debounce: MemberName = "Debounce"
  package static let distanceThreshold: MemberName = "DistanceThreshold"
  package static let errorOccurred: MemberName = "ErrorOccurred"
  package static let location: MemberName = "Location"
  package static let locationUpdated: MemberName = "LocationUpdated"
  package static let requiredAccuracy: MemberName = "RequiredAccuracy"
  package static let start: MemberName = "Start"
  package static let stop: MemberName = "Stop"
  package static let timeThreshold: MemberName = "TimeThreshold"
}

/// The names of `org.geopublicist.Location1.Region`.
package nonisolated enum RegionInterface {
  /// The interface itself.
  package static let interface: InterfaceName = "org.geopublicist.Location1.Region"
  package static let active: MemberName = "Active"
  package static let authorizationChanged: MemberName = "AuthorizationChanged"
  package static let authorizationMessage: MemberName = "AuthorizationMessage"
  package static let authorizationReason: MemberName = "AuthorizationReason"
  package static let authorizationStatus: MemberName = "AuthorizationStatus"
  package static let close: MemberName = "Close"
  package static let closed: MemberName = "Closed"
  package static let lastEvent: MemberName = "LastEvent"
  package static let latitude: MemberName = "Latitude"
  package static let longitude: MemberName = "Longitude"
  package static let radius: MemberName = "Radius"
  package static let since: MemberName = "Since"
  package static let start: MemberName = "Start"
  package static let state: MemberName = "State"
  package static let stateChanged: MemberName = "StateChanged"
  package static let stateReason: MemberName = "StateReason"
  package static let stop: MemberName = "Stop"
}

/// The names of `org.geopublicist.Location1.Almanac`.
package nonisolated enum AlmanacInterface {
  /// The interface itself.
  package static let interface: InterfaceName = "org.geopublicist.Location1.Almanac"
  package static let active: MemberName = "Active"
  package static let almanac: MemberName = "Almanac"
  package static let almanacChanged: MemberName = "AlmanacChanged"
  package static let authorizationChanged: MemberName = "AuthorizationChanged"
  package static let authorizationMessage: MemberName = "AuthorizationMessage"
  package static let authorizationReason: MemberName = "AuthorizationReason"
  package static let authorizationStatus: MemberName = "AuthorizationStatus"
  package static let close: MemberName = "Close"
  package static let closed: MemberName = "Closed"
  package static let errorOccurred: MemberName = "ErrorOccurred"
  package static let start: MemberName = "Start"
  package static let stop: MemberName = "Stop"
}
