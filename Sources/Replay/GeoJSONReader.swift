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
    return Track.Measurement(
      fix: fix, time: properties?["time"]?.string.flatMap(RecordedTime.microseconds),
      startsSegment: properties?["segmentStart"]?.boolean ?? false)
  }

  private static func corners(_ feature: JSONValue) -> [Track.Measurement] {
    guard feature["geometry"]?["type"]?.string == "LineString" else { return [] }
    let corners = (feature["geometry"]?["coordinates"]?.array ?? []).compactMap(location)
    return corners.enumerated().map { Track.Measurement(fix: $1, startsSegment: $0 == 0) }
  }

  private static func location(_ coordinates: JSONValue) -> Location? {
    let numbers = (coordinates.array ?? []).compactMap(\.number)
    guard numbers.count >= 2 else { return nil }
    var location = Location(latitude: numbers[1], longitude: numbers[0])
    if numbers.count > 2 { location.altitude = numbers[2] }
    return location
  }
}

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

nonisolated enum JSONValue {
  case null
  case boolean(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  subscript(_ key: String) -> JSONValue? { if case .object(let members) = self { members[key] } else { nil } }
  var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
  var string: String? { if case .string(let text) = self { text } else { nil } }
  var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
  var number: Double? { if case .number(let number) = self { number } else { nil } }
}

/// Reads JSON (RFC 8259) to the depth that GeoJSON needs, because GLib has no JSON parser.
nonisolated struct JSONReader {
  private static let deepest = 32
  private let bytes: [UInt8]
  private var position = 0

  /// Returns the value of a whole text, or nil if it is malformed.
  static func value(_ text: String) -> JSONValue? {
    var reader = JSONReader(text)
    guard let value = reader.value(depth: 0) else { return nil }
    reader.skipSpace()
    return reader.position == reader.bytes.count ? value : nil
  }

  private init(_ text: String) { bytes = Array(text.utf8) }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  private mutating func skip(_ character: Character) -> Bool {
    skipSpace()
    guard next == character.asciiValue else { return false }
    position += 1
    return true
  }

  private mutating func skip(word: String) -> Bool {
    guard bytes[position...].starts(with: word.utf8) else { return false }
    position += word.utf8.count
    return true
  }

  private mutating func value(depth: Int) -> JSONValue? {
    guard depth < Self.deepest else { return nil }
    skipSpace()
    switch next.map(UnicodeScalar.init) {
    case "{": return object(depth)
    case "[": return array(depth)
    case "\"": return string().map { .string($0) }
    case "t": return skip(word: "true") ? .boolean(true) : nil
    case "f": return skip(word: "false") ? .boolean(false) : nil
    case "n": return skip(word: "null") ? .null : nil
    default: return number()
    }
  }

  private mutating func object(_ depth: Int) -> JSONValue? {
    guard skip("{") else { return nil }
    var members: [String: JSONValue] = [:]
    if skip("}") { return .object(members) }
    repeat {
      skipSpace()
      guard let key = string(), skip(":"), let value = value(depth: depth + 1) else { return nil }
      members[key] = value
    } while skip(",")
    return skip("}") ? .object(members) : nil
  }

  private mutating func array(_ depth: Int) -> JSONValue? {
    guard skip("[") else { return nil }
    var elements: [JSONValue] = []
    if skip("]") { return .array(elements) }
    repeat {
      guard let value = value(depth: depth + 1) else { return nil }
      elements.append(value)
    } while skip(",")
    return skip("]") ? .array(elements) : nil
  }

  private mutating func number() -> JSONValue? {
    let start = position
    while let byte = next, "+-.eE0123456789".utf8.contains(byte) { position += 1 }
    guard let number = Double(String(decoding: bytes[start..<position], as: UTF8.self)), number.isFinite else {
      return nil
    }
    return .number(number)
  }

  private mutating func string() -> String? {
    guard next == UInt8(ascii: "\"") else { return nil }
    position += 1
    var text: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let escaped = next else { return nil }
        position += 1
        guard let character = escape(escaped) else { return nil }
        text += Array(String(character).utf8)
      default: text.append(byte)
      }
    }
    return nil
  }

  private mutating func escape(_ byte: UInt8) -> Character? {
    switch UnicodeScalar(byte) {
    case "\"", "\\", "/": return Character(UnicodeScalar(byte))
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u":
      guard position + 4 <= bytes.count else { return nil }
      let digits = String(decoding: bytes[position..<position + 4], as: UTF8.self)
      position += 4
      // An unpaired surrogate is replaced. Paired ones are not needed here.
      return UInt32(digits, radix: 16).map { Character(UnicodeScalar($0) ?? "\u{FFFD}") }
    default: return nil
    }
  }
}
