// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Regions of a program.
extension ConsumerProgram {
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

  /// Calls `CreateRegion`.
  public func createRegion(_ options: JSON) throws -> BusClient.Answer {
    try call("CreateRegion", signature: "a{sv}", [options])
  }

  /// Makes a region and returns its path.
  public func region(_ options: JSON) throws -> String { try createRegion(options).arguments().first?.string ?? "" }

  /// Makes a region, starts it, and returns its path.
  public func regionStarted(_ options: JSON) throws -> String {
    let path = try region(options)
    try tellRegion(path, "Start")
    return path
  }

  /// Calls `Start`, `Stop` or `Close` of a region.
  public func tellRegion(_ path: String, _ member: String) throws {
    _ = try client.reply(member, of: Daemon.region, at: path)
  }

  /// The events that a region has sent so far.
  public func events(of path: String) -> [JSON] { client.received("StateChanged", from: path).map { $0[0] } }

  /// The events that a region has sent so far in short: what happened, and "gap" or the reason after a space.
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
