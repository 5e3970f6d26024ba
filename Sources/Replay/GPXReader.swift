// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistLocationModel

/// Reads GPX 1.0 and 1.1 with GLib's parser: the points of all tracks, or of all routes if there are no tracks, or else
/// the waypoints.
nonisolated enum GPXReader {
  static func read(_ text: String) throws(MalformedTrack) -> [Track.Measurement] {
    let reading = Reading()
    var parser = GMarkupParser()
    parser.start_element = { context, name, names, values, data, _ in
      guard let name, let reading = Reading.from(data) else { return }
      reading.start(String(cString: name), Self.attributes(names, values))
    }
    parser.end_element = { context, name, data, _ in
      guard let name else { return }
      Reading.from(data)?.end(String(cString: name))
    }
    parser.text = { context, text, count, data, _ in
      guard let text else { return }
      let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
      Reading.from(data)?.text += String(decoding: bytes, as: UTF8.self)
    }
    var error: UnsafeMutablePointer<GError>?
    let context = g_markup_parse_context_new(
      &parser, GMarkupParseFlags(rawValue: 0), Unmanaged.passUnretained(reading).toOpaque(), nil)
    defer { g_markup_parse_context_free(context) }
    let isGood = withExtendedLifetime(reading) {
      g_markup_parse_context_parse(context, text, gssize(text.utf8.count), &error) != 0
        && g_markup_parse_context_end_parse(context, &error) != 0
    }
    guard isGood else {
      let message = error.map { String(cString: $0.pointee.message) } ?? "not well-formed XML"
      g_clear_error(&error)
      throw MalformedTrack(message: message)
    }
    guard reading.isGPX else { throw MalformedTrack(message: "not a track (expected \(TrackFile.formats))") }
    return ["trkpt", "rtept", "wpt"].compactMap { reading.points[$0] }.first ?? []
  }

  private static func attributes(
    _ names: UnsafeMutablePointer<UnsafePointer<CChar>?>?, _ values: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) -> [String: String] {
    var attributes: [String: String] = [:]
    var index = 0
    while let name = names?[index], let value = values?[index] {
      attributes[String(cString: name)] = String(cString: value)
      index += 1
    }
    return attributes
  }

  /// The elements read so far. Elements are identified by their local names, because extensions use various prefixes.
  private final class Reading {
    private(set) var points: [String: [Track.Measurement]] = [:]
    private(set) var isGPX = false
    var text = ""
    private var current: (element: String, fix: Location, time: Int64?)?
    private var startsSegment = false

    static func from(_ data: UnsafeMutableRawPointer?) -> Reading? {
      data.map { Unmanaged<Reading>.fromOpaque($0).takeUnretainedValue() }
    }

    func start(_ name: String, _ attributes: [String: String]) {
      text = ""
      let element = Self.local(name)
      if element == "gpx" { isGPX = true }
      if element == "trkseg" || element == "rte" { startsSegment = true }
      guard ["trkpt", "rtept", "wpt"].contains(element), let latitude = Self.number(attributes["lat"]),
        let longitude = Self.number(attributes["lon"])
      else { return }
      current = (element, Location(latitude: latitude, longitude: longitude), nil)
    }

    func end(_ name: String) {
      let element = Self.local(name)
      defer { text = "" }
      guard let point = current else { return }
      if element == point.element {
        current = nil
        points[element, default: []].append(
          Track.Measurement(fix: point.fix, time: point.time, startsSegment: startsSegment))
        startsSegment = false
        return
      }
      let value = Self.number(text)
      switch element {
      case "ele": current?.fix.altitude = value ?? point.fix.altitude
      case "time": current?.time = RecordedTime.microseconds(text)
      case "speed": current?.fix.speed = value ?? point.fix.speed
      case "course": current?.fix.heading = value ?? point.fix.heading
      case "accuracy": current?.fix.accuracy = value ?? point.fix.accuracy
      case "hdop" where point.fix.accuracy == nil: current?.fix.accuracy = value.map(Dilution.accuracy)
      default: break
      }
    }

    private static func local(_ name: String) -> String { name.split(separator: ":").last.map(String.init) ?? name }

    private static func number(_ text: String?) -> Double? {
      guard let text, let number = Double(text.trimmed), number.isFinite else { return nil }
      return number
    }
  }
}

nonisolated extension String {
  var trimmed: String {
    let body = drop { $0.isWhitespace }
    return String(body.reversed().drop { $0.isWhitespace }.reversed())
  }
}
