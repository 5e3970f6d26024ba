// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// GPX 1.1, with speed and course in Garmin's extension, which many programs read, and the accuracy in a separate one.
nonisolated struct GPXFormat: TrackFormat {
  private let start: Timestamp
  private var isInterrupted = false

  init(startingAt time: Timestamp) { start = time }

  var header: String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <gpx version="1.1" creator="geopublicist \(ProgramVersion.current)" xmlns="http://www.topografix.com/GPX/1/1"
      xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
      xsi:schemaLocation="http://www.topografix.com/GPX/1/1 http://www.topografix.com/GPX/1/1/gpx.xsd"
      xmlns:tpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" xmlns:geopublicist="urn:geopublicist:track:1">
      <metadata><time>\(Moment.iso(start))</time></metadata>
      <trk>
        <name>\(Moment.iso(start))</name>
        <trkseg>

    """
  }

  var trailer: String { "    </trkseg>\n  </trk>\n</gpx>\n" }

  mutating func interrupt() { isInterrupted = true }

  mutating func resume(after text: String) -> Bool {
    isInterrupted = text.hasSuffix("</trkpt>\n")
    return true
  }

  mutating func entry(_ location: Location) -> String {
    defer { isInterrupted = false }
    let cut = isInterrupted ? "    </trkseg>\n    <trkseg>\n" : ""
    // The schema's longitudes are less than 180.
    let longitude = location.longitude >= 180 ? -180 : location.longitude
    let place = "lat=\"\(Number.fixed(location.latitude, 7))\" lon=\"\(Number.fixed(longitude, 7))\""
    return "\(cut)      <trkpt \(place)>\(content(location))</trkpt>\n"
  }

  private func content(_ location: Location) -> String {
    var motion = ""
    if let speed = location.speed { motion += element("tpx:speed", Number.short(speed, 2)) }
    if let heading = location.heading { motion += element("tpx:course", Number.short(heading, 1)) }
    var extensions = motion.isEmpty ? "" : element("tpx:TrackPointExtension", motion)
    if let accuracy = location.accuracy { extensions += element("geopublicist:accuracy", Number.short(accuracy, 1)) }
    return (location.altitude.map { element("ele", Number.short($0, 1)) } ?? "")
      + element("time", Moment.iso(location.timestamp))
      + (location.sourceDescription.map { element("src", Self.escaped($0.printable)) } ?? "")
      + (extensions.isEmpty ? "" : element("extensions", extensions))
  }

  private func element(_ name: String, _ content: String) -> String { "<\(name)>\(content)</\(name)>" }

  static func escaped(_ text: String) -> String {
    guard let escaped = g_markup_escape_text(text, -1) else { return "" }
    defer { g_free(escaped) }
    return String(cString: escaped)
  }
}

/// GeoJSON (RFC 7946): a point for each fix, and at the end a line for each segment.
nonisolated struct GeoJSONFormat: TrackFormat {
  private var lines: [[String]] = []
  private var last: Location?
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
    if isInterrupted { lines.append([]) } else { cut(at: location) }
    last = location
    lines[lines.count - 1].append(position)
    var properties = ["\"time\":" + JSONText.quoted(Moment.iso(location.timestamp))]
    if let accuracy = location.accuracy { properties.append("\"accuracy\":\(Number.short(accuracy, 1))") }
    if let speed = location.speed { properties.append("\"speed\":\(Number.short(speed, 2))") }
    if let heading = location.heading { properties.append("\"heading\":\(Number.short(heading, 1))") }
    if let source = location.sourceDescription { properties.append("\"source\":" + JSONText.quoted(source)) }
    if location.isSimulated { properties.append("\"simulated\":true") }
    if isInterrupted, !isFirst { properties.append("\"segmentStart\":true") }
    defer { (isInterrupted, isFirst) = (false, false) }
    return (isFirst ? "" : ",\n") + feature("Point", position, "{\(properties.joined(separator: ","))}")
  }

  /// Cuts the line where it crosses the antimeridian, as RFC 7946 recommends in 3.1.9.
  private mutating func cut(at next: Location) {
    guard let last, abs(next.longitude - last.longitude) > 180 else { return }
    let edge = last.longitude < 0 ? -180.0 : 180.0
    let (before, after) = (abs(edge - last.longitude), abs(-edge - next.longitude))
    let share = before + after > 0 ? before / (before + after) : 0
    let latitude = Number.short(last.latitude + (next.latitude - last.latitude) * share, 7)
    lines[lines.count - 1].append("[\(Number.short(edge, 7)),\(latitude)]")
    lines.append(["[\(Number.short(-edge, 7)),\(latitude)]"])
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

/// NMEA 0183 as receivers write it: GGA and RMC for each fix, and GST if its accuracy is known; between two segments an
/// RMC without a fix.
nonisolated struct NMEAFormat: TrackFormat {
  let header = ""
  let trailer = ""
  private var isInterrupted = false

  mutating func interrupt() { isInterrupted = true }

  /// The last line must end in a checksum, so that a file of another format is not damaged.
  mutating func resume(after text: String) -> Bool {
    isInterrupted = true
    let line = text.utf8.reversed().drop { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    return text.utf8.last == UInt8(ascii: "\n") && line.dropFirst(2).first == UInt8(ascii: "*")
  }

  mutating func entry(_ location: Location) -> String {
    let clock = Moment.utc(location.timestamp, "%H%M%S") + "." + hundredths(location.timestamp)
    let place = [
      angle(location.latitude, digits: 2), location.latitude < 0 ? "S" : "N",
      angle(location.longitude, digits: 3), location.longitude < 0 ? "W" : "E",
    ]
    let altitude = location.altitude.map { [Number.fixed($0, 1), "M"] } ?? ["", ""]
    let speed = location.speed.map { Number.fixed($0 * 3600 / 1852, 2) } ?? ""
    let heading = location.heading.map { Number.fixed($0, 1) } ?? ""
    // 8 and S mark simulated fixes.
    let quality = location.isSimulated ? "8" : "1"
    defer { isInterrupted = false }
    return (isInterrupted ? gap(before: location.timestamp) : "")
      + sentence(["GPGGA", clock] + place + [quality, "", ""] + altitude + ["", "", "", ""])
      + sentence(
        ["GPRMC", clock, "A"] + place + [speed, heading, Moment.utc(location.timestamp, "%d%m%y"), "", ""]
          + [location.isSimulated ? "S" : "A"])
      + (location.accuracy.map { sentence(errors($0, at: clock)) } ?? "")
  }

  /// The errors of latitude and longitude, of which a reader takes the root of the sum of the squares.
  private func errors(_ accuracy: Double, at clock: String) -> [String] {
    let error = Number.short(accuracy / 2.0.squareRoot(), 2)
    return ["GPGST", clock, "", "", "", "", error, error, ""]
  }

  private func gap(before time: Timestamp) -> String {
    let second = Timestamp(seconds: max(time.seconds, 1) - 1)
    let date = Moment.utc(second, "%d%m%y")
    return sentence(["GPRMC", Moment.utc(second, "%H%M%S") + ".00", "V", "", "", "", "", "", "", date, "", "", "N"])
  }

  private func hundredths(_ time: Timestamp) -> String { String(String(time.microseconds / 10_000 + 100).dropFirst()) }

  private func sentence(_ fields: [String]) -> String {
    let body = fields.joined(separator: ",")
    let checksum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
    return "$\(body)*\(checksum.utf8.count < 2 ? "0" : "")\(checksum)\r\n"
  }

  /// Writes degrees and minutes without a separator.
  private func angle(_ degrees: Double, digits: Int) -> String {
    // Rounded before the division, so that the minutes are never 60.
    let steps = Int64((abs(degrees) * 600_000_000).rounded())
    let (whole, minutes) = steps.quotientAndRemainder(dividingBy: 600_000_000)
    func padded(_ number: Int64, _ digits: Int) -> String {
      let text = "\(number)"
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    return padded(whole, digits) + padded(minutes / 10_000_000, 2) + "." + padded(minutes % 10_000_000, 7)
  }
}
