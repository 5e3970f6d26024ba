// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// A format that keeps a file complete after every fix: the header, the entries so far, the trailer.
nonisolated protocol TrackFormat {
  var header: String { get }
  /// The end of the file, which the next entry overwrites.
  var trailer: String { get }

  mutating func entry(_ location: Location) -> String

  /// Begins a new segment with the next fix, because fixes were missed.
  mutating func interrupt()

  /// Returns what goes before the trailer when the recording ends.
  func ending() -> String

  /// Continues a recording whose last text before the trailer is `text`; returns false if that is impossible.
  mutating func resume(after text: String) -> Bool
}

nonisolated extension TrackFormat {
  mutating func interrupt() {}
  func ending() -> String { "" }
  mutating func resume(after text: String) -> Bool { true }
}

nonisolated enum TrackFormats {
  static let names = ["gpx", "geojson", "nmea", "svg"]

  /// Returns the format for a file's name, GPX for a name without an ending; nil for an unknown ending.
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

  /// Returns a format that grows with each fix; nil for a picture, which is drawn as a whole.
  static func format(_ name: String, startingAt time: Timestamp) -> (any TrackFormat)? {
    switch name {
    case "gpx": GPXFormat(startingAt: time)
    case "geojson": GeoJSONFormat()
    case "nmea": NMEAFormat()
    default: nil
    }
  }
}
