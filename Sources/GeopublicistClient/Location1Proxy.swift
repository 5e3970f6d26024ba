// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Written by: swift package generate-dbus dbus/org.geopublicist.Location1.xml Sources/GeopublicistClient/Location1Proxy.swift --parts calls --import GeopublicistContract
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

  /// Creates a stopped subscription that belongs to the calling connection and ends with it.
  func createSubscription(options value0: Value, timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<ObjectPath, CallFailure>) -> Void = { _ in }) {
    proxy.call(Location1Interface.createSubscription, value0, timeout: timeout, interactive: interactive, expecting: "o") { result in handler(result.typed { values in values[0].objectPath }) }
  }

  /// Creates a stopped region that belongs to the calling connection and ends with it: a circle that reports when the computer enters and leaves it.
  func createRegion(options value0: Value, timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<ObjectPath, CallFailure>) -> Void = { _ in }) {
    proxy.call(Location1Interface.createRegion, value0, timeout: timeout, interactive: interactive, expecting: "o") { result in handler(result.typed { values in values[0].objectPath }) }
  }

  /// Returns an almanac: day and night, the time zone and the town.
  func getAlmanac(options value0: Value, timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<Value, CallFailure>) -> Void = { _ in }) {
    proxy.call(Location1Interface.getAlmanac, value0, timeout: timeout, interactive: interactive, expecting: "a{sv}") { result in handler(result.typed { values in values[0] }) }
  }

  /// Creates a stopped almanac that belongs to the calling connection and ends with it.
  func createAlmanac(options value0: Value, timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<ObjectPath, CallFailure>) -> Void = { _ in }) {
    proxy.call(Location1Interface.createAlmanac, value0, timeout: timeout, interactive: interactive, expecting: "o") { result in handler(result.typed { values in values[0].objectPath }) }
  }

  /// Decides about the caller's access, and returns its status and reason.
  func requestAuthorization(options value0: Value, timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<(status: String, reason: String), CallFailure>) -> Void = { _ in }) {
    proxy.call(Location1Interface.requestAuthorization, value0, timeout: timeout, interactive: interactive, expecting: "ss") { result in handler(result.typed { values in if let value0 = values[0].string, let value1 = values[1].string { (value0, value1) } else { nil } }) }
  }

  /// Returns the subscriptions, regions and almanacs of the caller's user; root receives those of all users.
  func listSubscriptions(timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<Value, CallFailure>) -> Void = { _ in }) {
    proxy.call(Location1Interface.listSubscriptions, timeout: timeout, interactive: interactive, expecting: "aa{sv}") { result in handler(result.typed { values in values[0] }) }
  }
}
