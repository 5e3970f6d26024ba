// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Written by: swift package generate-dbus dbus/org.geopublicist.Location1.xml dbus/org.geopublicist.Location1.Subscription.xml dbus/org.geopublicist.Location1.Region.xml dbus/org.geopublicist.Location1.Almanac.xml Sources/LocationService/Contract/Skeletons.swift --parts skeleton --import GeopublicistContract --later AuthorizationStatus,AuthorizationReason,AuthorizationMessage,Location,Almanac,LastEvent
import DBus
import GeopublicistContract

/// Implements `org.geopublicist.Location1`. A method answers its call, immediately or later; an error that it throws is the
/// answer.
@MainActor protocol Location1Skeleton: AnyObject {
  /// Returns one location.
  func getLocation(_ options: Value, _ call: MethodCall) throws(DBusError)
  /// Creates a stopped subscription that belongs to the calling connection and ends with it.
  func createSubscription(_ options: Value, _ call: MethodCall) throws(DBusError)
  /// Creates a stopped region that belongs to the calling connection and ends with it: a circle that reports when the computer enters and leaves it.
  func createRegion(_ options: Value, _ call: MethodCall) throws(DBusError)
  /// Returns an almanac: day and night, the time zone and the town.
  func getAlmanac(_ options: Value, _ call: MethodCall) throws(DBusError)
  /// Creates a stopped almanac that belongs to the calling connection and ends with it.
  func createAlmanac(_ options: Value, _ call: MethodCall) throws(DBusError)
  /// Decides about the caller's access, and returns its status and reason.
  func requestAuthorization(_ options: Value, _ call: MethodCall) throws(DBusError)
  /// Returns the subscriptions, regions and almanacs of the caller's user; root receives those of all users.
  func listSubscriptions(_ call: MethodCall) throws(DBusError)
  /// The version of the service, such as "1.1.0".
  var version: String { get }
  /// The limits in force, which the error `LimitsExceeded` names.
  var limits: Value { get }
  /// The state of the location source: `idle` (not in use, or resting), `starting`, `waiting` (for an agent, or for a fix), `running` or `unavailable`.
  var state: String { get }
  /// The reason for the state: empty, one of the reasons for a status, or `geoclue-not-installed`, `geoclue-restarting`, `no-source`, `no-fix` or `resting`.
  var stateReason: String { get }
  /// One sentence for the user about what is wrong and what to do; empty if nothing is wrong.
  var stateMessage: String { get }
  /// `none` or a level, as last reported by GeoClue; `unknown` while GeoClue is not running.
  var availableAccuracy: String { get }
  /// Whether at least one client is following the location.
  var isInUse: Bool { get }
  /// The caller's status; reading it never shows a dialog.
  func readAuthorizationStatus(_ request: PropertyRead)
  /// The reason for the caller's status.
  func readAuthorizationReason(_ request: PropertyRead)
  /// One sentence for the user about `AuthorizationReason`; empty if nothing is wrong.
  func readAuthorizationMessage(_ request: PropertyRead)
}

extension Location1Skeleton {
  /// Returns the table for an `Implementation`. It is the same for all objects of a type, so make it once.
  static func location1Table() -> Interface<Self> {
    Interface(
      Location1Interface.interface,
      [
        .method(Location1Interface.getLocation, in: ["options": "a{sv}"], out: ["location": "a{sv}"]) { object, call throws(DBusError) in try object.getLocation(call.arguments[0], call) },
        .method(Location1Interface.createSubscription, in: ["options": "a{sv}"], out: ["subscription": "o"]) { object, call throws(DBusError) in try object.createSubscription(call.arguments[0], call) },
        .method(Location1Interface.createRegion, in: ["options": "a{sv}"], out: ["region": "o"]) { object, call throws(DBusError) in try object.createRegion(call.arguments[0], call) },
        .method(Location1Interface.getAlmanac, in: ["options": "a{sv}"], out: ["almanac": "a{sv}"]) { object, call throws(DBusError) in try object.getAlmanac(call.arguments[0], call) },
        .method(Location1Interface.createAlmanac, in: ["options": "a{sv}"], out: ["almanac": "o"]) { object, call throws(DBusError) in try object.createAlmanac(call.arguments[0], call) },
        .method(Location1Interface.requestAuthorization, in: ["options": "a{sv}"], out: ["status": "s", "reason": "s"]) { object, call throws(DBusError) in try object.requestAuthorization(call.arguments[0], call) },
        .method(Location1Interface.listSubscriptions, out: ["subscriptions": "aa{sv}"]) { object, call throws(DBusError) in try object.listSubscriptions(call) },
        .property(Location1Interface.version, "s", emits: .const) { .string($0.version) },
        .property(Location1Interface.limits, "a{su}", emits: .changed) { $0.limits },
        .property(Location1Interface.state, "s", emits: .changed) { .string($0.state) },
        .property(Location1Interface.stateReason, "s", emits: .changed) { .string($0.stateReason) },
        .property(Location1Interface.stateMessage, "s", emits: .nothing) { .string($0.stateMessage) },
        .property(Location1Interface.availableAccuracy, "s", emits: .changed) { .string($0.availableAccuracy) },
        .property(Location1Interface.inUse, "b", emits: .changed) { .boolean($0.isInUse) },
        .property(Location1Interface.authorizationStatus, "s", emits: .nothing, readLater: { $0.readAuthorizationStatus($1) }),
        .property(Location1Interface.authorizationReason, "s", emits: .nothing, readLater: { $0.readAuthorizationReason($1) }),
        .property(Location1Interface.authorizationMessage, "s", emits: .nothing, readLater: { $0.readAuthorizationMessage($1) }),
      ])
  }
}

/// Implements `org.geopublicist.Location1.Subscription`. A method answers its call, immediately or later; an error that it throws is the
/// answer.
@MainActor protocol SubscriptionSkeleton: AnyObject {
  /// Starts updates immediately, or when access is granted.
  func start(_ call: MethodCall) throws(DBusError)
  /// Stops updates; `Start` starts them again.
  func stop(_ call: MethodCall) throws(DBusError)
  /// Ends the subscription and removes its object; `Closed` is sent with the reason `by-consumer`.
  func close(_ call: MethodCall) throws(DBusError)
  /// The owner's status.
  func readAuthorizationStatus(_ request: PropertyRead)
  /// The reason for `AuthorizationStatus`.
  func readAuthorizationReason(_ request: PropertyRead)
  /// One sentence for the user about `AuthorizationReason`; empty if nothing is wrong.
  func readAuthorizationMessage(_ request: PropertyRead)
  /// Whether the subscription is started and its owner is authorized.
  var isActive: Bool { get }
  /// The last location delivered to this subscription.
  func readLocation(_ request: PropertyRead)
  /// The requested level; the granted one may be coarser.
  var accuracy: String { get }
  func writeAccuracy(_ value: String, _ call: MethodCall) throws(DBusError)
  /// Metres from the last update sent; 0 for none.
  var distanceThreshold: Double { get }
  func writeDistanceThreshold(_ value: Double, _ call: MethodCall) throws(DBusError)
  /// Milliseconds; at most one update per interval; time asleep counts; 0 for none.
  var timeThreshold: UInt32 { get }
  func writeTimeThreshold(_ value: UInt32, _ call: MethodCall) throws(DBusError)
  /// Milliseconds without a newer location before an update is sent; 0 for none.
  var debounce: UInt32 { get }
  func writeDebounce(_ value: UInt32, _ call: MethodCall) throws(DBusError)
  /// Metres; locations with a larger or unknown `Accuracy` are skipped.
  var requiredAccuracy: Double { get }
  func writeRequiredAccuracy(_ value: Double, _ call: MethodCall) throws(DBusError)
}

extension SubscriptionSkeleton {
  /// Returns the table for an `Implementation`. It is the same for all objects of a type, so make it once.
  static func subscriptionTable() -> Interface<Self> {
    Interface(
      SubscriptionInterface.interface,
      [
        .method(SubscriptionInterface.start) { object, call throws(DBusError) in try object.start(call) },
        .method(SubscriptionInterface.stop) { object, call throws(DBusError) in try object.stop(call) },
        .method(SubscriptionInterface.close) { object, call throws(DBusError) in try object.close(call) },
        .property(SubscriptionInterface.authorizationStatus, "s", emits: .changed, readLater: { $0.readAuthorizationStatus($1) }),
        .property(SubscriptionInterface.authorizationReason, "s", emits: .changed, readLater: { $0.readAuthorizationReason($1) }),
        .property(SubscriptionInterface.authorizationMessage, "s", emits: .nothing, readLater: { $0.readAuthorizationMessage($1) }),
        .property(SubscriptionInterface.active, "b", emits: .changed) { .boolean($0.isActive) },
        .property(SubscriptionInterface.location, "a{sv}", emits: .nothing, readLater: { $0.readLocation($1) }),
        .property(SubscriptionInterface.accuracy, "s", emits: .changed, write: { object, value, call throws(DBusError) in guard let value0 = value.string else { return }; try object.writeAccuracy(value0, call) }) { .string($0.accuracy) },
        .property(SubscriptionInterface.distanceThreshold, "d", emits: .changed, write: { object, value, call throws(DBusError) in guard let value0 = value.double else { return }; try object.writeDistanceThreshold(value0, call) }) { .double($0.distanceThreshold) },
        .property(SubscriptionInterface.timeThreshold, "u", emits: .changed, write: { object, value, call throws(DBusError) in guard let value0 = value.uint32 else { return }; try object.writeTimeThreshold(value0, call) }) { .uint32($0.timeThreshold) },
        .property(SubscriptionInterface.debounce, "u", emits: .changed, write: { object, value, call throws(DBusError) in guard let value0 = value.uint32 else { return }; try object.writeDebounce(value0, call) }) { .uint32($0.debounce) },
        .property(SubscriptionInterface.requiredAccuracy, "d", emits: .changed, write: { object, value, call throws(DBusError) in guard let value0 = value.double else { return }; try object.writeRequiredAccuracy(value0, call) }) { .double($0.requiredAccuracy) },
        .signal(SubscriptionInterface.locationUpdated, ["location": "a{sv}"]),
        .signal(SubscriptionInterface.authorizationChanged, ["status": "s", "reason": "s"]),
        .signal(SubscriptionInterface.errorOccurred, ["name": "s", "message": "s"]),
        .signal(SubscriptionInterface.closed, ["reason": "s"]),
      ])
  }
}

/// Implements `org.geopublicist.Location1.Region`. A method answers its call, immediately or later; an error that it throws is the
/// answer.
@MainActor protocol RegionSkeleton: AnyObject {
  /// Starts monitoring immediately, or when access is granted.
  func start(_ call: MethodCall) throws(DBusError)
  /// Stops monitoring, and the state becomes unknown.
  func stop(_ call: MethodCall) throws(DBusError)
  /// Ends the region and removes its object; `Closed` is sent with the reason `by-consumer`.
  func close(_ call: MethodCall) throws(DBusError)
  /// `inside`, `outside` or `unknown`.
  var state: String { get }
  /// The reason for an unknown `State`; empty if it is known, and before `Start`.
  var stateReason: String { get }
  /// The `Timestamp` of the event with which `State` last changed; 0,0 without one.
  var since: Value { get }
  /// The last event of `StateChanged`.
  func readLastEvent(_ request: PropertyRead)
  /// Latitude of the centre in degrees.
  var latitude: Double { get }
  /// Longitude of the centre in degrees.
  var longitude: Double { get }
  /// Radius in metres.
  var radius: Double { get }
  /// Whether the region is started and its owner is authorized.
  var isActive: Bool { get }
  /// The owner's status.
  func readAuthorizationStatus(_ request: PropertyRead)
  /// The reason for `AuthorizationStatus`.
  func readAuthorizationReason(_ request: PropertyRead)
  /// One sentence for the user about `AuthorizationReason`; empty if nothing is wrong.
  func readAuthorizationMessage(_ request: PropertyRead)
}

extension RegionSkeleton {
  /// Returns the table for an `Implementation`. It is the same for all objects of a type, so make it once.
  static func regionTable() -> Interface<Self> {
    Interface(
      RegionInterface.interface,
      [
        .method(RegionInterface.start) { object, call throws(DBusError) in try object.start(call) },
        .method(RegionInterface.stop) { object, call throws(DBusError) in try object.stop(call) },
        .method(RegionInterface.close) { object, call throws(DBusError) in try object.close(call) },
        .property(RegionInterface.state, "s", emits: .changed) { .string($0.state) },
        .property(RegionInterface.stateReason, "s", emits: .changed) { .string($0.stateReason) },
        .property(RegionInterface.since, "(tt)", emits: .nothing) { $0.since },
        .property(RegionInterface.lastEvent, "a{sv}", emits: .nothing, readLater: { $0.readLastEvent($1) }),
        .property(RegionInterface.latitude, "d", emits: .const) { .double($0.latitude) },
        .property(RegionInterface.longitude, "d", emits: .const) { .double($0.longitude) },
        .property(RegionInterface.radius, "d", emits: .const) { .double($0.radius) },
        .property(RegionInterface.active, "b", emits: .changed) { .boolean($0.isActive) },
        .property(RegionInterface.authorizationStatus, "s", emits: .changed, readLater: { $0.readAuthorizationStatus($1) }),
        .property(RegionInterface.authorizationReason, "s", emits: .changed, readLater: { $0.readAuthorizationReason($1) }),
        .property(RegionInterface.authorizationMessage, "s", emits: .nothing, readLater: { $0.readAuthorizationMessage($1) }),
        .signal(RegionInterface.stateChanged, ["event": "a{sv}"]),
        .signal(RegionInterface.authorizationChanged, ["status": "s", "reason": "s"]),
        .signal(RegionInterface.closed, ["reason": "s"]),
      ])
  }
}

/// Implements `org.geopublicist.Location1.Almanac`. A method answers its call, immediately or later; an error that it throws is the
/// answer.
@MainActor protocol AlmanacSkeleton: AnyObject {
  /// Starts updates immediately, or when access is granted.
  func start(_ call: MethodCall) throws(DBusError)
  /// Stops updates and drops the location; `Start` resumes the updates.
  func stop(_ call: MethodCall) throws(DBusError)
  /// Ends the almanac and removes its object; `Closed` is sent with the reason `by-consumer`.
  func close(_ call: MethodCall) throws(DBusError)
  /// The last almanac of `AlmanacChanged`.
  func readAlmanac(_ request: PropertyRead)
  /// Whether the almanac is started and its owner is authorized.
  var isActive: Bool { get }
  /// The owner's status.
  func readAuthorizationStatus(_ request: PropertyRead)
  /// The reason for `AuthorizationStatus`.
  func readAuthorizationReason(_ request: PropertyRead)
  /// One sentence for the user about `AuthorizationReason`; empty if nothing is wrong.
  func readAuthorizationMessage(_ request: PropertyRead)
}

extension AlmanacSkeleton {
  /// Returns the table for an `Implementation`. It is the same for all objects of a type, so make it once.
  static func almanacTable() -> Interface<Self> {
    Interface(
      AlmanacInterface.interface,
      [
        .method(AlmanacInterface.start) { object, call throws(DBusError) in try object.start(call) },
        .method(AlmanacInterface.stop) { object, call throws(DBusError) in try object.stop(call) },
        .method(AlmanacInterface.close) { object, call throws(DBusError) in try object.close(call) },
        .property(AlmanacInterface.almanac, "a{sv}", emits: .nothing, readLater: { $0.readAlmanac($1) }),
        .property(AlmanacInterface.active, "b", emits: .changed) { .boolean($0.isActive) },
        .property(AlmanacInterface.authorizationStatus, "s", emits: .changed, readLater: { $0.readAuthorizationStatus($1) }),
        .property(AlmanacInterface.authorizationReason, "s", emits: .changed, readLater: { $0.readAuthorizationReason($1) }),
        .property(AlmanacInterface.authorizationMessage, "s", emits: .nothing, readLater: { $0.readAuthorizationMessage($1) }),
        .signal(AlmanacInterface.almanacChanged, ["almanac": "a{sv}"]),
        .signal(AlmanacInterface.authorizationChanged, ["status": "s", "reason": "s"]),
        .signal(AlmanacInterface.errorOccurred, ["name": "s", "message": "s"]),
        .signal(AlmanacInterface.closed, ["reason": "s"]),
      ])
  }
}
