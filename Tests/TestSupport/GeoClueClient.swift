// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A client of GeoClue itself, to compare the service with.
extension BusClient {
  /// Calls a method of GeoClue's manager.
  public func askGeoClue(_ member: String) throws -> Answer {
    try call(member, of: "\(geoClueName).Manager", at: "/org/freedesktop/GeoClue2/Manager", of: geoClueName)
  }

  /// Makes a client of GeoClue for everything it gives, and returns its path and what the call of `Start` is answered.
  public func startGeoClueClient(
    desktopID: String = "org.example.Oracle", distance: Int = 0
  ) throws -> (path: String, answer: Answer) {
    let path = try askGeoClue("CreateClient").arguments()[0].string ?? ""
    let interface = "\(geoClueName).Client"
    for (name, value) in [
      ("DesktopId", JSON.variant("s", .string(desktopID))), ("RequestedAccuracyLevel", .variant("u", 8)),
      ("DistanceThreshold", .variant("u", .number(Double(distance)))),
    ] {
      _ = try set(name, of: interface, at: path, of: geoClueName, to: value).arguments()
    }
    return (path, try call("Start", of: interface, at: path, of: geoClueName))
  }
}
