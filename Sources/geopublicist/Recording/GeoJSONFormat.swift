// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// GeoJSON (RFC 7946): a point for each fix, and at the end a line for each segment.
nonisolated struct GeoJSONFormat: TrackFormat {
  private var lines: [[String]] = []
  private var isInterrupted = true
  private var isFirst = true

  let header = "{\"type\":\"FeatureCollection\",\"features\":[\n"
  let trailer = "\n]}\n"

  mutating func interrupt() { isInterrupted = true }

  mutating func resume(after text: String) -> Bool {
    isFirst = text.hasSuffix("[\n")
    return isFirst || text.hasSuffix("}")
  }

  mutating func entry(_ location: Location) -> String {
    let position =
      "[\(Number.short(location.longitude, 7)),\(Number.short(location.latitude, 7))"
      + (location.altitude.map { ",\(Number.short($0, 1))" } ?? "") + "]"
    if isInterrupted { lines.append([]) }
    lines[lines.count - 1].append(position)
    var properties = ["\"time\":" + JSONText.quoted(Moment.iso(location.timestamp))]
    if let accuracy = location.accuracy { properties.append("\"accuracy\":\(Number.short(accuracy, 1))") }
    if let speed = location.speed { properties.append("\"speed\":\(Number.short(speed, 2))") }
    if let heading = location.heading { properties.append("\"heading\":\(Number.short(heading, 1))") }
    if let source = location.sourceDescription { properties.append("\"source\":" + JSONText.quoted(source)) }
    if location.isSimulated { properties.append("\"simulated\":true") }
    defer { (isInterrupted, isFirst) = (false, false) }
    return (isFirst ? "" : ",\n") + feature("Point", position, "{\(properties.joined(separator: ","))}")
  }

  func ending() -> String {
    // A line has at least two points.
    lines.filter { $0.count > 1 }.map {
      ",\n" + feature("LineString", "[\($0.joined(separator: ","))]", "{}")
    }.joined()
  }

  private func feature(_ kind: String, _ coordinates: String, _ properties: String) -> String {
    "{\"type\":\"Feature\",\"geometry\":{\"type\":\"\(kind)\",\"coordinates\":\(coordinates)},"
      + "\"properties\":\(properties)}"
  }
}
