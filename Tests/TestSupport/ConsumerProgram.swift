// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A client of the service, with a connection of its own.
public final class ConsumerProgram {
  public let client: BusClient

  /// Connects.
  ///
  /// - Parameter user: The user to run as; only root may choose.
  public init(on bus: PrivateBus, as user: uid_t? = nil) throws { client = try BusClient(at: bus.address, as: user) }

  /// Calls a method of the manager object.
  public func call(
    _ member: String, signature: String = "", _ arguments: [JSON] = [], interactive: Bool = false,
    within limit: Duration = .seconds(10)
  ) throws -> BusClient.Answer {
    try client.call(
      member, of: Daemon.name, at: Daemon.path, signature: signature, arguments, interactive: interactive, within: limit
    )
  }

  /// Calls a method of the manager object that takes options, without waiting; see `BusClient.answer(to:)`.
  public func begin(_ member: String, _ options: JSON = [:], interactive: Bool = false) throws -> Int64 {
    try client.begin(member, of: Daemon.name, at: Daemon.path, signature: "a{sv}", [options], interactive: interactive)
  }

  /// Calls `RequestAuthorization` and waits for the answer.
  public func requestAuthorization(_ options: JSON = [:], interactive: Bool = false) throws -> BusClient.Answer {
    try call("RequestAuthorization", signature: "a{sv}", [options], interactive: interactive)
  }

  /// Calls `GetLocation` and waits for the answer.
  public func location(_ options: JSON = [:], within limit: Duration = .seconds(25)) throws -> BusClient.Answer {
    try call("GetLocation", signature: "a{sv}", [options], within: limit)
  }

  /// Calls `CreateSubscription`.
  public func createSubscription(_ options: JSON = [:]) throws -> BusClient.Answer {
    try call("CreateSubscription", signature: "a{sv}", [options])
  }

  /// Creates a subscription and returns its path.
  public func subscribe(_ options: JSON = [:]) throws -> String {
    try createSubscription(options).arguments().first?.string ?? ""
  }

  /// Creates a subscription, starts it, and returns its path.
  public func subscribeAndStart(_ options: JSON = [:]) throws -> String {
    let path = try subscribe(options)
    try tell(path, "Start")
    return path
  }

  /// Calls `Start`, `Stop` or `Close` of a subscription.
  public func tell(_ path: String, _ member: String) throws {
    _ = try client.reply(member, of: Daemon.subscription, at: path)
  }

  /// Reads a property of the manager object, or of a subscription.
  public func property(_ name: String, of path: String = Daemon.path) throws -> JSON {
    let interface =
      path == Daemon.path ? Daemon.name : path.contains("/region/") ? Daemon.region : Daemon.subscription
    return try client.get(name, of: interface, at: path)
  }

  /// Waits until a property of the manager object, or of a subscription, has a value.
  public func waitFor(
    _ name: String, _ value: JSON, of path: String = Daemon.path, within limit: Duration = .seconds(10)
  ) throws {
    var last = JSON.null
    try eventually("\(name) is \(value.line)", within: limit, turn: rest, seen: "it is \(last.line)") {
      last = try property(name, of: path)
      return last == value
    }
  }

  /// The rows of `ListSubscriptions`.
  public func subscriptions() throws -> [JSON] { try call("ListSubscriptions").arguments()[0].array ?? [] }

  /// The locations that a subscription has delivered so far.
  public func locations(from path: String) -> [JSON] { client.received("LocationUpdated", from: path).map { $0[0] } }

  /// The latitudes of these locations.
  public func latitudes(from path: String) -> [Double] { locations(from: path).compactMap { $0["Latitude"]?.number } }

  /// Why a subscription or region was closed, nil while it is not.
  public func closed(_ path: String) -> String? { client.received("Closed", from: path).first?.first?.string }

  /// What a subscription was told about its authorization, in order: the status and, after a space, the reason.
  public func authorizations(of path: String) -> [String] {
    client.received("AuthorizationChanged", from: path).map { "\($0[0].string ?? "") \($0[1].string ?? "")" }
  }

  /// Waits until a subscription has delivered a number of locations, and returns all of them.
  public func locations(_ count: Int, from path: String, within limit: Duration = .seconds(10)) throws -> [JSON] {
    try eventual("\(count) locations", within: limit, seen: client.received.map(\.text).joined(separator: "\n")) {
      let found = locations(from: path)
      return found.count >= count ? found : nil
    }
  }
}
