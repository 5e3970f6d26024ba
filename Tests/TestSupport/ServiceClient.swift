// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A client of the service with a separate connection.
public final class ServiceClient {
  public let connection: BusClient

  /// Connects.
  public init(on bus: PrivateBus, as user: uid_t? = nil) throws {
    connection = try BusClient(at: bus.address, as: user)
  }

  public func call(
    _ member: String, signature: String = "", _ arguments: [JSON] = [], within limit: Duration = .seconds(10)
  ) throws -> BusClient.Answer {
    try connection.call(member, of: Service.name, at: Service.path, signature: signature, arguments, within: limit)
  }

  /// Calls a method of the manager object that takes options, without waiting; see `BusClient.answer(to:)`.
  public func begin(_ member: String, _ options: JSON = [:], interactive: Bool = false) throws -> Int64 {
    try connection.begin(
      member, of: Service.name, at: Service.path, signature: "a{sv}", [options], interactive: interactive)
  }

  public func requestAuthorization(_ options: JSON = [:], interactive: Bool = false) throws -> BusClient.Answer {
    try connection.answer(to: begin("RequestAuthorization", options, interactive: interactive))
  }

  public func location(_ options: JSON = [:], within limit: Duration = .seconds(25)) throws -> BusClient.Answer {
    try call("GetLocation", signature: "a{sv}", [options], within: limit)
  }

  public func createSubscription(_ options: JSON = [:]) throws -> BusClient.Answer {
    try call("CreateSubscription", signature: "a{sv}", [options])
  }

  public func subscribe(_ options: JSON = [:]) throws -> String {
    try createSubscription(options).arguments().first?.string ?? ""
  }

  public func subscribeAndStart(_ options: JSON = [:]) throws -> String {
    let path = try subscribe(options)
    try tell(path, "Start")
    return path
  }

  /// Calls `Start`, `Stop` or `Close` of a subscription or region.
  public func tell(_ path: String, _ member: String) throws {
    _ = try connection.reply(member, of: interface(of: path), at: path)
  }

  /// Reads a property of the manager object, a subscription or a region.
  public func property(_ name: String, of path: String = Service.path) throws -> JSON {
    try connection.get(name, of: interface(of: path), at: path)
  }

  private func interface(of path: String) -> String {
    guard path != Service.path else { return Service.name }
    return path.contains("/region/")
      ? Service.region : path.contains("/almanac/") ? Service.almanac : Service.subscription
  }

  public func waitFor(
    _ name: String, _ value: JSON, of path: String = Service.path, within limit: Duration = .seconds(10)
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
  public func locations(from path: String) -> [JSON] {
    connection.received("LocationUpdated", from: path).map { $0[0] }
  }
  public func latitudes(from path: String) -> [Double] { locations(from: path).compactMap { $0["Latitude"]?.number } }
  public func lastLatitude(from path: String) -> Double? {
    connection.received("LocationUpdated", from: path).last?[0]["Latitude"]?.number
  }

  /// The reason for which a subscription or region was closed; nil while it is open.
  public func closed(_ path: String) -> String? { connection.received("Closed", from: path).first?.first?.string }

  /// The authorizations that a subscription has received, in order: the status and, after a space, the reason.
  public func authorizations(of path: String) -> [String] {
    connection.received("AuthorizationChanged", from: path).map { "\($0[0].string ?? "") \($0[1].string ?? "")" }
  }

  /// Waits until a subscription has delivered a number of locations, and returns all of them.
  public func locations(_ count: Int, from path: String, within limit: Duration = .seconds(10)) throws -> [JSON] {
    try eventual("\(count) locations", within: limit, seen: connection.received.map(\.text).joined(separator: "\n")) {
      let found = locations(from: path)
      return found.count >= count ? found : nil
    }
  }
}

extension ServiceClient {
  /// The options of a circle, with short times unless others are given.
  public static func circle(
    _ latitude: Double, _ longitude: Double, radius: Double = 1_000, confirm: UInt32 = 100,
    _ more: [String: JSON] = [:]
  ) -> JSON {
    let options: [String: JSON] = [
      "latitude": .variant("d", .number(latitude)), "longitude": .variant("d", .number(longitude)),
      "radius": .variant("d", .number(radius)), "confirm": .variant("u", .integer(Int64(confirm))),
    ]
    return .object(options.merging(more) { $1 })
  }

  public func createRegion(_ options: JSON) throws -> BusClient.Answer {
    try call("CreateRegion", signature: "a{sv}", [options])
  }

  public func region(_ options: JSON) throws -> String { try createRegion(options).arguments().first?.string ?? "" }

  public func regionStarted(_ options: JSON) throws -> String {
    let path = try region(options)
    try tell(path, "Start")
    return path
  }

  /// The events that a region has sent so far.
  public func events(of path: String) -> [JSON] { connection.received("StateChanged", from: path).map { $0[0] } }

  /// The events that a region has sent so far, as short texts: the event and, after a space, "gap" or the reason.
  public func happenings(_ path: String) -> [String] {
    events(of: path).map { event in
      let parts = [
        event["Event"]?.content.string ?? "", event["Gap"]?.content == true ? "gap" : "",
        event["Reason"]?.content.string ?? "",
      ]
      return parts.filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  /// Waits until a region has sent exactly these events.
  public func waitFor(_ happenings: [String], _ path: String, within limit: Duration = .seconds(20)) throws {
    try eventually("\(happenings)", within: limit, seen: "\(self.happenings(path))") {
      self.happenings(path) == happenings
    }
  }
}

extension ServiceClient {
  public func createAlmanac(_ options: JSON = [:]) throws -> BusClient.Answer {
    try call("CreateAlmanac", signature: "a{sv}", [options])
  }

  public func almanac(_ options: JSON = [:]) throws -> String {
    try createAlmanac(options).arguments().first?.string ?? ""
  }

  public func almanacStarted(_ options: JSON = [:]) throws -> String {
    let path = try almanac(options)
    try tell(path, "Start")
    return path
  }

  /// Waits until an almanac has been sent a number of times, and returns all that were sent.
  public func almanacs(_ count: Int, from path: String, within limit: Duration = .seconds(10)) throws -> [JSON] {
    try eventual("\(count) almanacs", within: limit, seen: connection.received.map(\.text).joined(separator: "\n")) {
      let found = almanacs(from: path)
      return found.count >= count ? found : nil
    }
  }

  /// The almanacs that were sent so far.
  public func almanacs(from path: String) -> [JSON] { connection.received("AlmanacChanged", from: path).map { $0[0] } }
}
