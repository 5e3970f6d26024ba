// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Testing

@testable import geopublicist

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
  func `fields are replaced, and unknown ones become a dash`(template: String, text: String) throws {
    #expect(try LocationTemplate(template).text(reading()) == text)
  }

  @Test(arguments: [
    ("{latitud}", "latitud"), ("{latitude", "has a"), ("latitude}{level}", "write"),
    ("{latitude:4}", "precision"), ("{latitude:.16}", "precision"), ("{latitude:.-1}", "precision"),
    ("nonsense", "waybar"), ("{}", "no field"),
  ])
  func `a template that cannot be used is refused before anything is asked`(template: String, word: String) {
    let error = #expect(throws: (any Error).self) { try LocationTemplate(template) }
    #expect("\(error.map { "\($0)" } ?? "")".contains(word))
  }

  @Test func `an unknown field is answered with the list of fields`() {
    let error = #expect(throws: (any Error).self) { try LocationTemplate("{place}") }
    for field in LocationTemplate.fields { #expect("\(error.map { "\($0)" } ?? "")".contains(field)) }
  }

  @Test func `text from a source cannot control the terminal`() throws {
    let text = try LocationTemplate("{description}").text(reading([("Description", .string("GPS\u{1B}[2J\u{202E}"))]))
    #expect(text == "GPS[2J")
  }

  @Test func `the presets suit the programs that read them`() throws {
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

  @Test func `rounding never makes 60 seconds`() {
    #expect(LocationTemplate.dms(Location(latitude: 59.99999999, longitude: -0.9999999)) == "60°0′0.0″N 1°0′0.0″W")
  }

  @Test func `numbers in JSON are short and exact`() {
    #expect(
      [10, -0.5, 0.1, 1e300, 9_007_199_254_740_993].map(JSONText.text) == [
        "10", "-0.5", "0.1", "1e+300", "9007199254740992",
      ])
    #expect(JSONText.text(.nan) == "null")
  }
}

@Suite struct SuggestionTests {
  private let commands = ["status", "locate", "watch", "record", "list", "sun"]

  @Test func `an unambiguous beginning is enough`() {
    #expect(Suggestion.match("w", among: commands) == .found("watch"))
    #expect(Suggestion.match("status", among: commands + ["status-line"]) == .found("status"))
    #expect(Suggestion.match("l", among: commands) == .ambiguous(["locate", "list"]))
  }

  @Test func `several commands are listed as in a sentence`() {
    #expect(Suggestion.alternatives(["status", "sun", "switch"]) == "status, sun or switch")
    #expect(Suggestion.alternatives(["locate", "list"]) == "locate or list")
    #expect(Suggestion.alternatives(["watch"]) == "watch")
    #expect(Suggestion.alternatives([]) == "")
  }

  @Test(arguments: [("wacth", "watch"), ("locat3", "locate"), ("satus", "status"), ("recrod", "record")])
  func `a slip is answered with the word that was meant`(word: String, meant: String) {
    #expect(Suggestion.match(word, among: commands) == .unknown(nearest: meant))
  }

  @Test(arguments: ["xyzzy", "", "geopublicist"]) func `any other word is unknown`(word: String) {
    #expect(Suggestion.match(word, among: commands) == .unknown(nearest: nil))
  }
}
