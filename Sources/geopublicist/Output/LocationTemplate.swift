// SPDX-License-Identifier: Apache-2.0
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// `--format` for locations: a preset or a template.
nonisolated struct LocationTemplate {
  static let presets = ["plain", "dms", "geo", "osm", "waybar"]
  static let fields = [
    "latitude", "longitude", "accuracy", "altitude", "speed", "heading", "level", "source", "description", "time",
    "local", "age", "sequence",
  ]

  @MainActor static func declare(_ parser: OptionParser) {
    parser.addText(
      "format", "f", "Print this text with {fields}, or \(Suggestion.alternatives(presets))", value: "TEXT")
  }

  /// Reads the option; nil if it was not given.
  @MainActor static func read(_ parser: OptionParser) throws(UsageError) -> LocationTemplate? {
    try parser.format().map { text throws(UsageError) in try LocationTemplate(text) }
  }

  private enum Form {
    case plain, dms, geo, osm, waybar
    case template(Template)
  }

  private let form: Form

  init(_ text: String) throws(UsageError) {
    form =
      switch text {
      case "plain": .plain
      case "dms": .dms
      case "geo": .geo
      case "osm": .osm
      case "waybar": .waybar
      case _ where !text.contains("{"):
        throw .init(
          "--format takes a text with fields, such as '{latitude},{longitude}', or "
            + Suggestion.alternatives(Self.presets))
      default: .template(try Template(text, fields: Self.fields))
      }
  }

  func text(_ reading: ServiceLocation) -> String {
    let location = reading.location
    switch form {
    case .plain: return LocationText.line(reading)
    case .geo: return LocationText.uri(location)
    case .dms: return Self.dms(location)
    case .osm:
      let (latitude, longitude) = (Number.fixed(location.latitude, 5), Number.fixed(location.longitude, 5))
      return
        "https://www.openstreetmap.org/?mlat=\(latitude)&mlon=\(longitude)#map=\(Self.zoom(location))/\(latitude)/\(longitude)"
    case .waybar: return Self.waybar(reading)
    case .template(let template): return template.text { Self.value($0, of: reading) }
    }
  }

  private static func value(_ name: String, of reading: ServiceLocation) -> Template.Field? {
    let location = reading.location
    func number(_ number: Double?, _ digits: Int) -> Template.Field? { number.map { .number($0, digits: digits) } }
    switch name {
    case "latitude": return number(location.latitude, LocationText.digits)
    case "longitude": return number(location.longitude, LocationText.digits)
    case "accuracy": return number(location.accuracy, 1)
    case "altitude": return number(location.altitude, 1)
    case "speed": return number(location.speed, 2)
    case "heading": return number(location.heading, 1)
    case "level": return .text(reading.level)
    case "source": return .text(location.source.rawValue)
    case "description": return location.sourceDescription.map { .text($0) }
    case "time": return .text(Moment.iso(location.timestamp))
    case "local": return .text(Moment.local(location.timestamp))
    case "age": return number(Double(max(0, Moment.now.microseconds(since: location.timestamp))) / 1_000_000, 0)
    case "sequence": return number(Double(location.sequence), 0)
    default: return nil
    }
  }

  /// Returns degrees, minutes and seconds to a tenth of a second, which is three metres.
  static func dms(_ location: Location) -> String {
    func angle(_ degrees: Double, _ hemisphere: String) -> String {
      // Rounded before the division, so that the seconds are never 60.
      let tenths = Int64((abs(degrees) * 36_000).rounded())
      let (whole, rest) = tenths.quotientAndRemainder(dividingBy: 36_000)
      let seconds = Number.fixed(Double(rest % 600) / 10, 1)
      return "\(whole)°\(rest / 600)′\(seconds)″\(hemisphere)"
    }
    return angle(location.latitude, location.latitude < 0 ? "S" : "N") + " "
      + angle(location.longitude, location.longitude < 0 ? "W" : "E")
  }

  /// Returns the zoom level that shows the accuracy on the map.
  private static func zoom(_ location: Location) -> Int {
    switch location.accuracy ?? 1_000 {
    case ..<50: 18
    case ..<500: 16
    case ..<5_000: 13
    case ..<50_000: 10
    default: 6
    }
  }

  /// Returns a line for a custom module of waybar: text, tooltip and CSS class.
  private static func waybar(_ reading: ServiceLocation) -> String {
    let location = reading.location
    let place = "\(Number.fixed(location.latitude, 4)), \(Number.fixed(location.longitude, 4))"
    let accuracy = location.accuracy.map { "±\(Number.short($0, 0)) m" } ?? "accuracy unknown"
    return JSONText.object([
      ("text", .string(place)),
      ("tooltip", .string("\(accuracy)\n\(reading.level)\n\(Moment.local(location.timestamp))")),
      ("class", .string(location.isSimulated ? "simulated" : reading.isReduced ? "reduced" : "located")),
    ])
  }
}
