// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Written by: swift package generate-dbus dbus/org.geopublicist.Location1.xml Sources/GeopublicistClient/ManagerProxy.swift --parts proxy --import GeopublicistContract
import DBus
import GeopublicistContract

/// Calls an object with the interface `org.geopublicist.Location1`.
@MainActor struct Location1Proxy {
  /// Calls by name.
  let proxy: Proxy

  /// Creates a proxy without sending anything.
  init(on connection: Connection, destination: BusName, path: ObjectPath) {
    proxy = Proxy(on: connection, destination: destination, path: path, interface: Location1Interface.interface)
  }

  /// Returns one location.
  func getLocation(options value0: Value, timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<Value, CallFailure>) -> Void = { _ in }) {
    proxy.call(Location1Interface.getLocation, value0, timeout: timeout, interactive: interactive, expecting: "a{sv}") { result in handler(result.typed { values in values[0] }) }
  }

  /// Creates a stopped subscription that belongs to the calling connection.
  func createSubscription(options value0: Value, timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<ObjectPath, CallFailure>) -> Void = { _ in }) {
    proxy.call(Location1Interface.createSubscription, value0, timeout: timeout, interactive: interactive, expecting: "o") { result in handler(result.typed { values in values[0].objectPath }) }
  }

  /// Creates a stopped region that belongs to the calling connection: a circle that reports when the computer enters and leaves it.
  func createRegion(options value0: Value, timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<ObjectPath, CallFailure>) -> Void = { _ in }) {
    proxy.call(Location1Interface.createRegion, value0, timeout: timeout, interactive: interactive, expecting: "o") { result in handler(result.typed { values in values[0].objectPath }) }
  }

  /// Returns what follows from the location of the caller's city: day and night, time zone and town.
  func getAlmanac(options value0: Value, timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<Value, CallFailure>) -> Void = { _ in }) {
    proxy.call(Location1Interface.getAlmanac, value0, timeout: timeout, interactive: interactive, expecting: "a{sv}") { result in handler(result.typed { values in values[0] }) }
  }

  /// Creates a stopped almanac that belongs to the calling connection.
  func createAlmanac(options value0: Value, timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<ObjectPath, CallFailure>) -> Void = { _ in }) {
    proxy.call(Location1Interface.createAlmanac, value0, timeout: timeout, interactive: interactive, expecting: "o") { result in handler(result.typed { values in values[0].objectPath }) }
  }

  /// Decides for the caller, and returns its status and reason.
  func requestAuthorization(options value0: Value, timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<(status: String, reason: String), CallFailure>) -> Void = { _ in }) {
    proxy.call(Location1Interface.requestAuthorization, value0, timeout: timeout, interactive: interactive, expecting: "ss") { result in handler(result.typed { values in if let value0 = values[0].string, let value1 = values[1].string { (value0, value1) } else { nil } }) }
  }

  /// The subscriptions, regions and almanacs of the caller's user; root sees all.
  func listSubscriptions(timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<Value, CallFailure>) -> Void = { _ in }) {
    proxy.call(Location1Interface.listSubscriptions, timeout: timeout, interactive: interactive, expecting: "aa{sv}") { result in handler(result.typed { values in values[0] }) }
  }

  /// The version of the service, such as "1.1.0".
  func readVersion(_ handler: @escaping (Result<String, CallFailure>) -> Void) {
    proxy.get(Location1Interface.version) { result in handler(result.typed { $0.string }) }
  }

  /// The limits in force, which the error LimitsExceeded names.
  func readLimits(_ handler: @escaping (Result<Value, CallFailure>) -> Void) {
    proxy.get(Location1Interface.limits) { result in handler(result.typed { $0 }) }
  }

  /// The state of the location source.
  func readState(_ handler: @escaping (Result<String, CallFailure>) -> Void) {
    proxy.get(Location1Interface.state) { result in handler(result.typed { $0.string }) }
  }

  /// The reason of the state: empty, a reason of a status, or geoclue-not-installed, geoclue-restarting, no-source, no-fix, or resting: the next delivery to any client is more than a minute away, and GeoClue is released until then.
  func readStateReason(_ handler: @escaping (Result<String, CallFailure>) -> Void) {
    proxy.get(Location1Interface.stateReason) { result in handler(result.typed { $0.string }) }
  }

  /// One sentence for the user about what is wrong and what to do; empty if nothing is wrong.
  func readStateMessage(_ handler: @escaping (Result<String, CallFailure>) -> Void) {
    proxy.get(Location1Interface.stateMessage) { result in handler(result.typed { $0.string }) }
  }

  /// None or a level, as last reported by GeoClue; unknown while GeoClue is not running.
  func readAvailableAccuracy(_ handler: @escaping (Result<String, CallFailure>) -> Void) {
    proxy.get(Location1Interface.availableAccuracy) { result in handler(result.typed { $0.string }) }
  }

  /// Whether at least one client is following the location.
  func readInUse(_ handler: @escaping (Result<Bool, CallFailure>) -> Void) {
    proxy.get(Location1Interface.inUse) { result in handler(result.typed { $0.boolean }) }
  }

  /// The caller's status; reading it never shows a dialog.
  func readAuthorizationStatus(_ handler: @escaping (Result<String, CallFailure>) -> Void) {
    proxy.get(Location1Interface.authorizationStatus) { result in handler(result.typed { $0.string }) }
  }

  /// The reason of the caller's status.
  func readAuthorizationReason(_ handler: @escaping (Result<String, CallFailure>) -> Void) {
    proxy.get(Location1Interface.authorizationReason) { result in handler(result.typed { $0.string }) }
  }

  /// One sentence for the user about AuthorizationReason; empty if nothing is wrong.
  func readAuthorizationMessage(_ handler: @escaping (Result<String, CallFailure>) -> Void) {
    proxy.get(Location1Interface.authorizationMessage) { result in handler(result.typed { $0.string }) }
  }
}
