// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// How a file of fixes is written so that it is complete after every fix: what was there, the new entry, the trailer.
nonisolated protocol TrackFormat {
  /// What the file begins with.
  var header: String { get }
  /// What makes the file complete, behind whatever there is so far.
  var trailer: String { get }

  /// The text for one more fix.
  mutating func entry(_ location: Location) -> String

  /// Fixes were missing from here on: what comes next does not belong to the same piece of the way.
  mutating func interrupt()

  /// What goes before the trailer when the recording ends in order.
  func ending() -> String
}

nonisolated extension TrackFormat {
  mutating func interrupt() {}
  func ending() -> String { "" }
}

/// The formats by name.
nonisolated enum TrackFormats {
  static let names = ["gpx", "geojson", "nmea"]

  /// The format that a file's name asks for: GPX unless it ends in that of another one.
  static func name(forFile path: String) -> String {
    let ending = path.lowercased()
    if ending.hasSuffix(".geojson") || ending.hasSuffix(".json") { return "geojson" }
    return ending.hasSuffix(".nmea") || ending.hasSuffix(".nme") ? "nmea" : "gpx"
  }

  static func format(_ name: String, startingAt time: Timestamp) -> (any TrackFormat)? {
    switch name {
    case "gpx": GPXFormat(startingAt: time)
    case "geojson": GeoJSONFormat()
    case "nmea": NMEAFormat()
    default: nil
    }
  }
}
