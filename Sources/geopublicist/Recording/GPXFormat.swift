// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// GPX 1.1, with speed and course in Garmin's extension, which many programs read, and the accuracy in our own.
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
      + (location.sourceDescription.map { element("src", Self.escaped(Text.plain($0))) } ?? "")
      + (extensions.isEmpty ? "" : element("extensions", extensions))
  }

  private func element(_ name: String, _ content: String) -> String { "<\(name)>\(content)</\(name)>" }

  static func escaped(_ text: String) -> String {
    guard let escaped = g_markup_escape_text(text, -1) else { return "" }
    defer { g_free(escaped) }
    return String(cString: escaped)
  }
}
