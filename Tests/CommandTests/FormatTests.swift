// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Testing

@testable import geopublicist

/// The formats of output and files, without a bus.
@Suite struct FormatTests {
  private static let place = Location(
    latitude: -33.999999999, longitude: 180, accuracy: 4, altitude: 34.56, speed: 1.5, heading: 359.9,
    sourceDescription: "GPS <&\u{1B}[31m>", timestamp: Timestamp(seconds: 1_767_323_045, microseconds: 250_000))

  @Test(
    arguments: [
      ("3", 3_000), ("2.5s", 2_500), ("500ms", 500), ("2min", 120_000), ("1h", 3_600_000), ("0", 0), ("5m", 300_000),
      ("1m30s", 90_000), ("1h30m", 5_400_000), ("2h500ms", 7_200_500),
      ("4294967.295", UInt32.max),
    ] as [(String, UInt32)]) func `durations are parsed`(text: String, milliseconds: UInt32)
  {
    #expect(Quantity.milliseconds(text) == milliseconds)
  }

  /// Regression: it was 1970.
  @Test func `an event of a region that no location supports has the present time`() throws {
    let value = Value.options([("Event", .string("determined")), ("State", .string("unknown"))])
    let change = try #require(ServiceRegionEvent(value))
    let texts = [RegionText.line(change.event, isForPeople: false), JSONText.region(change)]
    #expect(texts.allSatisfy { !$0.contains("1970") && $0.contains(Moment.iso(Moment.now).prefix(10)) })
  }

  @Test(arguments: ["", "-1", "s", "1 s", "1d", "nan", "inf", "1e3", "5000000", "1.2.3", "٣", "1m30", "30s5", "ms"])
  func `invalid durations are refused`(
    text: String
  ) {
    #expect(Quantity.milliseconds(text) == nil)
  }

  @Test(arguments: [("25", 25), ("25m", 25), ("1.5km", 1500)] as [(String, Double)])
  func `distances are parsed`(text: String, metres: Double) { #expect(Quantity.metres(text) == metres) }

  @Test func `numbers are formatted with at most the given number of digits`() {
    #expect(Number.fixed(-0.0, 1) == "0.0" && Number.fixed(1e300, 0).utf8.count == 301)
    #expect(Number.short(34.0, 1) == "34" && Number.short(100, 0) == "100" && Number.short(0.25, 2) == "0.25")
    #expect(Number.fixed(.nan, 1) == "?")
  }

  @Test func `JSON escapes control characters and quotation marks`() {
    #expect(JSONText.quoted("a\"\\\n\u{1}\u{7F}\u{2028}é") == "\"a\\\"\\\\\\n\\u0001\\u007f\\u2028é\"")
    #expect(JSONText.text(Value.double(.infinity)) == "null" && JSONText.text(Value.double(1e-7)) == "1e-07")
    let value = Value.options([("A", .structure([.uint64(.max), .boolean(true)])), ("B", .strings(["x"]))])
    #expect(JSONText.text(value) == "{\"A\":[18446744073709551615,true],\"B\":[\"x\"]}")
  }

  @Test(arguments: [
    ("a bc def", 4, ["a bc", "def"]), ("abcdef g", 3, ["abcdef", "g"]), ("", 5, [""]), ("a b", 80, ["a b"]),
  ]) func `text is wrapped at the given width`(text: String, width: Int, lines: [String]) {
    #expect(Text.wrapped(text, to: width) == lines)
  }

  @Test func `timestamps are in UTC`() {
    #expect(Moment.iso(Self.place.timestamp) == "2026-01-02T03:04:05.250Z")
    #expect(Moment.iso(Timestamp(seconds: .max)) == "?")
  }

  @Test func `a GeoJSON line that crosses the antimeridian is split there`() {
    var format = GeoJSONFormat()
    for longitude in [179.5, -179.5, -179] {
      _ = format.entry(Location(latitude: longitude < 0 ? 11 : 10, longitude: longitude))
    }
    let lines = format.ending()
    #expect(
      lines.contains("[[179.5,10],[180,10.5]]") && lines.contains("[[-180,10.5],[-179.5,11],[-179,11]]"), "\(lines)")
  }

  @Test func `the waybar template shows a refusal`() throws {
    let line = try LocationTemplate("waybar").text(refusal: "Location is turned off")
    #expect(line == #"{"text":"","tooltip":"Location is turned off","class":"denied"}"#)
    #expect(try LocationTemplate("plain").text(refusal: "x") == nil)
  }

  @Test func `the geo URI follows RFC 5870`() {
    #expect(LocationText.uri(Self.place) == "geo:-34.0000000,180.0000000,34.6;u=4")
    #expect(LocationText.uri(Location(latitude: 1, longitude: 2)) == "geo:1.0000000,2.0000000")
  }

  @Test func `a GPX point is escaped and stays in the schema's range`() {
    var format = GPXFormat(startingAt: Timestamp())
    let entry = format.entry(Self.place)
    #expect(entry.hasPart("lon=\"-180.0000000\"") && entry.hasPart("<src>GPS &lt;&amp;[31m&gt;</src>"))
    format.interrupt()
    #expect(
      format.entry(Self.place).hasPart("</trkseg>\n    <trkseg>") && !format.entry(Self.place).hasPart("</trkseg>"))
  }

  @Test func `an NMEA sentence carries its checksum`() {
    var format = NMEAFormat()
    let lines = format.entry(Self.place).split(separator: "\r\n")
    #expect(lines.count == 3 && lines[0].hasPrefix("$GPGGA,030405.25,3359.9999999,S,18000.0000000,E,1,,,34.6,M,,,,*"))
    #expect(lines[2].hasPrefix("$GPGST,030405.25,,,,,2.83,2.83,*"))
    for line in lines {
      let body = line.dropFirst().prefix { $0 != "*" }
      #expect(UInt8(line.suffix(2), radix: 16) == body.utf8.reduce(0, ^))
    }
  }

  @Test(arguments: [
    ("a.gpx", "gpx"), ("A.GeoJSON", "geojson"), ("x.json", "geojson"), ("x.nmea", "nmea"), ("x", "gpx"),
  ])
  func `the extension of a file decides its format`(path: String, name: String) {
    #expect(TrackFormats.name(forFile: path) == name)
  }

  @Test(arguments: [(0.0, "N"), (44, "NE"), (337.6, "N"), (360, "N"), (181, "S"), (-1, "")] as [(Double, String)])
  func `a heading is written as a compass point`(heading: Double, point: String) {
    #expect(LocationText.compassPoint(heading) == point)
  }
}

@Suite struct TemplateTests {
  private func reading(_ changes: [(String, Value)] = []) throws -> ServiceLocation {
    let value = Value.options(
      [
        ("Latitude", .double(48.137154)), ("Longitude", .double(-11.5755)), ("Level", .string("exact")),
        ("Timestamp", .structure([.uint64(1_718_967_600), .uint64(0)])), ("Source", .string("gnss")),
      ] + changes)
    return try #require(ServiceLocation(value))
  }

  @Test(arguments: [
    ("{latitude},{longitude}", "48.137154,-11.5755"),
    ("{latitude:.2}|{longitude:.0}", "48.14|-12"),
    ("{{{level}}} {source}\\t{time}", "{exact} gnss\t2024-06-21T11:00:00Z"),
    ("±{accuracy} m {heading}", "±- m -"),
  ])
  func `in a template, a field with an unknown value becomes a dash`(template: String, text: String) throws {
    #expect(try LocationTemplate(template).text(reading()) == text)
  }

  @Test(arguments: [
    ("{latitud}", "latitud"), ("{latitude", "has a"), ("latitude}{level}", "write"),
    ("{latitude:4}", "precision"), ("{latitude:.16}", "precision"), ("{latitude:.-1}", "precision"),
    ("nonsense", "waybar"), ("{}", "no field"),
  ])
  func `an invalid template causes an error that names the mistake`(template: String, word: String) {
    let error = #expect(throws: (any Error).self) { try LocationTemplate(template) }
    #expect("\(error.map { "\($0)" } ?? "")".contains(word))
  }

  @Test func `the error for an unknown field lists all fields`() {
    let error = #expect(throws: (any Error).self) { try LocationTemplate("{place}") }
    for field in LocationTemplate.fields { #expect("\(error.map { "\($0)" } ?? "")".contains(field)) }
  }

  @Test func `control characters are removed from a source's text`() throws {
    let text = try LocationTemplate("{description}").text(reading([("Description", .string("GPS\u{1B}[2J\u{202E}"))]))
    #expect(text == "GPS[2J")
  }

  @Test func `each field of a template is replaced by its value`() throws {
    let reading = try reading([
      ("Accuracy", .double(12)), ("Altitude", .double(520.5)), ("Speed", .double(1.5)), ("Heading", .double(90)),
      ("Description", .string("GPS")), ("Sequence", .uint64(7)),
    ])
    let template = "{accuracy} {altitude} {speed} {heading} {description} {sequence}"
    #expect(try LocationTemplate(template).text(reading) == "12 520.5 1.5 90 GPS 7")
  }

  @Test func `each preset prints the format of its program`() throws {
    let reading = try reading([("Accuracy", .double(12))])
    #expect(try LocationTemplate("geo").text(reading) == "geo:48.1371540,-11.5755000;u=12")
    #expect(try LocationTemplate("dms").text(reading) == "48°8′13.8″N 11°34′31.8″W")
    #expect(
      try LocationTemplate("osm").text(reading)
        == "https://www.openstreetmap.org/?mlat=48.13715&mlon=-11.57550#map=18/48.13715/-11.57550")
    let waybar = try LocationTemplate("waybar").text(reading)
    #expect(waybar.hasPrefix("{\"text\":\"48.1372, -11.5755\",\"tooltip\":\"±12 m\\nexact\\n"))
    #expect(waybar.hasSuffix("\"class\":\"located\"}"))
  }

  @Test func `seconds are never rounded up to 60`() {
    #expect(LocationTemplate.dms(Location(latitude: 59.99999999, longitude: -0.9999999)) == "60°0′0.0″N 1°0′0.0″W")
  }

  @Test func `a number in JSON is the shortest text with its exact value`() {
    #expect(
      [10, -0.5, 0.1, 1e300, 9_007_199_254_740_993].map(JSONText.text) == [
        "10", "-0.5", "0.1", "1e+300", "9007199254740992",
      ])
    #expect(JSONText.text(.nan) == "null")
  }
}

@Suite struct SuggestionTests {
  private let commands = ["status", "locate", "watch", "record", "list", "sun"]

  @Test func `an unambiguous prefix of a command is accepted`() {
    #expect(Suggestion.match("w", among: commands) == .found("watch"))
    #expect(Suggestion.match("status", among: commands + ["status-line"]) == .found("status"))
    #expect(Suggestion.match("l", among: commands) == .ambiguous(["locate", "list"]))
  }

  @Test func `alternatives are joined with commas and "or"`() {
    #expect(Suggestion.alternatives(["status", "sun", "switch"]) == "status, sun or switch")
    #expect(Suggestion.alternatives(["locate", "list"]) == "locate or list")
    #expect(Suggestion.alternatives(["watch"]) == "watch")
    #expect(Suggestion.alternatives([]) == "")
  }

  @Test(arguments: [("wacth", "watch"), ("locat3", "locate"), ("satus", "status"), ("recrod", "record")])
  func `the nearest command is suggested for a misspelt word`(word: String, meant: String) {
    #expect(Suggestion.match(word, among: commands) == .unknown(nearest: meant))
  }

  @Test(arguments: ["xyzzy", "", "geopublicist"]) func `no command is suggested for an unrelated word`(word: String) {
    #expect(Suggestion.match(word, among: commands) == .unknown(nearest: nil))
  }
}
