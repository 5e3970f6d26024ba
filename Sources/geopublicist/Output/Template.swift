// SPDX-License-Identifier: Apache-2.0
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// `--format` for locations: a preset or a template.
nonisolated struct LocationTemplate {
  static let presets = ["plain", "dms", "geo", "osm", "waybar"]
  static let fields = values(of: nil).map(\.name)

  @MainActor static func declare(_ parser: OptionParser) {
    parser.addText(
      "format", "f", tr("Print this text with {fields}, or a preset: \(Suggestion.alternatives(presets))"),
      value: "TEXT",
      words: presets)
  }

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
          tr(
            "--format requires a template with fields, such as '{latitude},{longitude}', or "
              + "\(Suggestion.alternatives(Self.presets))"))
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
    case .template(let template):
      return template.text { name in Self.values(of: reading).first { $0.name == name }?.value }
    }
  }

  /// Returns the line for a refusal, so that a status bar does not continue to show the last location; nil for other
  /// forms.
  func text(refusal sentence: String) -> String? {
    guard case .waybar = form else { return nil }
    return JSONText.object([("text", .string("")), ("tooltip", .string(sentence)), ("class", .string("denied"))])
  }

  /// Returns the fields, and their values if there is a location.
  private static func values(of reading: ServiceLocation?) -> [(name: String, value: Template.Field?)] {
    let location = reading?.location
    func number(_ number: Double?, _ digits: Int) -> Template.Field? { number.map { .number($0, digits: digits) } }
    func text(_ text: String?) -> Template.Field? { text.map { .text($0) } }
    let age = location.map { max(0, (Moment.now - $0.timestamp).seconds) }
    return [
      ("latitude", number(location?.latitude, LocationText.digits)),
      ("longitude", number(location?.longitude, LocationText.digits)), ("accuracy", number(location?.accuracy, 1)),
      ("altitude", number(location?.altitude, 1)), ("speed", number(location?.speed, 2)),
      ("heading", number(location?.heading, 1)), ("level", text(reading?.level)),
      ("source", text(location?.source.rawValue)), ("description", text(location?.sourceDescription)),
      ("time", text(location.map { Moment.iso($0.timestamp) })),
      ("local", text(location.map { Moment.local($0.timestamp) })), ("age", number(age, 0)),
      ("sequence", number(location.map { Double($0.sequence) }, 0)),
    ]
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
    let accuracy = location.accuracy.map { "±\(Number.short($0, 0)) m" } ?? tr("accuracy unknown")
    return JSONText.object([
      ("text", .string(place)),
      ("tooltip", .string("\(accuracy)\n\(reading.level)\n\(Moment.local(location.timestamp))")),
      ("class", .string(location.isSimulated ? "simulated" : reading.isReduced ? "reduced" : "located")),
    ])
  }
}

/// A text with fields in braces, such as `{latitude:.4}, {longitude:.4}`.
nonisolated struct Template {
  enum Field {
    /// A number, and its digits after the point unless the template specifies them.
    case number(Double, digits: Int)
    case text(String)
  }

  private enum Part {
    case text(String)
    case field(String, digits: Int?)
  }

  /// A double has no more significant digits.
  private static let mostDigits = 15
  private var parts: [Part] = []

  /// Reads a template; throws if a brace is open, a field unknown or a precision invalid.
  ///
  /// `{{` and `}}` stand for braces, `\n` and `\t` for a line end and a tab.
  init(_ template: String, fields: [String]) throws(UsageError) {
    var rest = template[...]
    var text = ""
    while let character = rest.popFirst() {
      switch (character, rest.first) {
      case ("{", "{"), ("}", "}"):
        text.append(character)
        rest = rest.dropFirst()
      case ("\\", "n"), ("\\", "t"): text.append(rest.popFirst() == "n" ? "\n" : "\t")
      case ("{", _):
        guard let end = rest.firstIndex(of: "}") else { throw .init(tr("--format has a '{' without a matching '}'")) }
        if !text.isEmpty { parts.append(.text(text)) }
        text = ""
        parts.append(try Self.field(rest[..<end], of: fields))
        rest = rest[rest.index(after: end)...]
      case ("}", _): throw .init(tr("--format has a '}' without a matching '{'; write '}}' for a brace"))
      default: text.append(character)
      }
    }
    if !text.isEmpty { parts.append(.text(text)) }
  }

  /// Returns the text with every field replaced by its value, or by `-` if it has none.
  func text(_ value: (String) -> Field?) -> String {
    parts.map { part in
      switch part {
      case .text(let text): return text
      case .field(let name, let digits):
        switch value(name) {
        case .number(let number, let usual):
          return digits.map { Number.fixed(number, $0) } ?? Number.short(number, usual)
        case .text(let text): return text.printable
        case nil: return "-"
        }
      }
    }.joined()
  }

  private static func field(_ content: Substring, of fields: [String]) throws(UsageError) -> Part {
    let pieces = content.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(pieces[0])
    guard fields.contains(name) else {
      throw .init(tr("--format has no field '\(name)'; the fields are \(fields.joined(separator: ", "))"))
    }
    guard pieces.count > 1 else { return .field(name, digits: nil) }
    guard pieces[1].hasPrefix("."), let digits = Int(pieces[1].dropFirst()), (0...mostDigits).contains(digits) else {
      throw .init(tr("--format allows a precision from .0 to .\(mostDigits), as in {\(name):.4}"))
    }
    return .field(name, digits: digits)
  }
}
