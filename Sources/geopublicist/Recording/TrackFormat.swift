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

  /// Continues a recording that ended with this text before its trailer; false if it cannot.
  mutating func resume(after text: String) -> Bool
}

nonisolated extension TrackFormat {
  mutating func interrupt() {}
  func ending() -> String { "" }
  mutating func resume(after text: String) -> Bool { true }
}

/// The formats by name.
nonisolated enum TrackFormats {
  static let names = ["gpx", "geojson", "nmea", "svg"]

  /// Returns the format that a file's name asks for, GPX for a name without an ending; nil for an unknown ending.
  static func name(forFile path: String) -> String? {
    let file = path.split(separator: "/").last ?? ""
    guard let dot = file.lastIndex(of: "."), dot > file.startIndex else { return "gpx" }
    switch file[file.index(after: dot)...].lowercased() {
    case "gpx": return "gpx"
    case "geojson", "json": return "geojson"
    case "nmea", "nme": return "nmea"
    case "svg": return "svg"
    default: return nil
    }
  }

  /// Returns a format that grows fix by fix; nil for a picture, which is drawn as a whole.
  static func format(_ name: String, startingAt time: Timestamp) -> (any TrackFormat)? {
    switch name {
    case "gpx": GPXFormat(startingAt: time)
    case "geojson": GeoJSONFormat()
    case "nmea": NMEAFormat()
    default: nil
    }
  }
}
