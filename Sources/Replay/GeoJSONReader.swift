// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistLocationModel

/// Reads GeoJSON (RFC 7946) as written by `geopublicist record`: a point for each fix or, if there are none, the
/// vertices of lines.
nonisolated enum GeoJSONReader {
  static func read(_ text: String) throws(MalformedTrack) -> [Track.Measurement] {
    guard let value = JSONReader.value(text) else { throw MalformedTrack(message: "not well-formed JSON") }
    guard let features = value["features"]?.array else {
      throw MalformedTrack(message: "not a GeoJSON FeatureCollection")
    }
    let points = features.compactMap(measurement)
    return points.isEmpty ? features.flatMap(corners) : points
  }

  private static func measurement(_ feature: JSONValue) -> Track.Measurement? {
    guard feature["geometry"]?["type"]?.string == "Point",
      var fix = feature["geometry"]?["coordinates"].flatMap(location)
    else { return nil }
    let properties = feature["properties"]
    fix.accuracy = properties?["accuracy"]?.number
    fix.speed = properties?["speed"]?.number
    fix.heading = properties?["heading"]?.number
    return (fix, properties?["time"]?.string.flatMap(RecordedTime.microseconds))
  }

  private static func corners(_ feature: JSONValue) -> [Track.Measurement] {
    guard feature["geometry"]?["type"]?.string == "LineString" else { return [] }
    return (feature["geometry"]?["coordinates"]?.array ?? []).compactMap(location).map { ($0, nil) }
  }

  private static func location(_ coordinates: JSONValue) -> Location? {
    let numbers = (coordinates.array ?? []).compactMap(\.number)
    guard numbers.count >= 2 else { return nil }
    var location = Location(latitude: numbers[1], longitude: numbers[0])
    if numbers.count > 2 { location.altitude = numbers[2] }
    return location
  }
}

/// Parses times in track files.
nonisolated enum RecordedTime {
  /// Parses an ISO 8601 time, UTC if it has no zone. Returns microseconds since 1970.
  static func microseconds(_ text: String) -> Int64? {
    guard let utc = g_time_zone_new_utc() else { return nil }
    defer { g_time_zone_unref(utc) }
    guard let moment = g_date_time_new_from_iso8601(text.trimmed, utc) else { return nil }
    defer { g_date_time_unref(moment) }
    return Int64(g_date_time_to_unix(moment)) * 1_000_000 + Int64(g_date_time_get_microsecond(moment))
  }
}
