// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GeopublicistReplay

/// GeoJSON as a track.
@Suite struct GeoJSONTests {
  @Test func `points are read with their properties`() throws {
    let points = try GeoJSONReader.read(
      """
      {"type":"FeatureCollection","features":[
      {"type":"Feature","geometry":{"type":"Point","coordinates":[-13.25,52.5,34.5]},
       "properties":{"time":"2026-01-02T03:04:05.250Z","accuracy":7,"speed":1.5,"heading":90}},
      {"type":"Feature","geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]},"properties":{}}
      ]}
      """)
    let point = try #require(points.first)
    #expect(points.count == 1)
    #expect(point.fix.latitude == 52.5 && point.fix.longitude == -13.25 && point.fix.altitude == 34.5)
    #expect(point.fix.accuracy == 7 && point.fix.speed == 1.5 && point.fix.heading == 90)
    #expect(point.time == 1_767_323_045_250_000)
  }

  @Test func `lines are read where there are no points`() throws {
    let text = """
      {"features":[{"geometry":{"type":"LineString","coordinates":[[1,2],[3,4],["x"]]}}]}
      """
    #expect(try GeoJSONReader.read(text).map(\.fix.latitude) == [2, 4])
  }

  @Test(arguments: [
    "{", "[]", "{\"features\":1}", "{\"features\":[],}", "{\"a\":tru}", "{\"a\":1e999}", "{\"a\":\"\\u12\"}",
    "{} {}", String(repeating: "[", count: 100_000), "{\"features\":[\"", "{\"a\":-}",
  ]) func `malformed text is an error`(text: String) {
    #expect(throws: MalformedTrack.self) { try GeoJSONReader.read(text) }
  }

  @Test func `strings are read with their escapes`() {
    let value = JSONReader.value("{\"a\":\"\\u00e9\\n\\\"\\ud800\", \"b\" : [true, null, -1.5e2]}")
    #expect(value?["a"]?.string == "\u{E9}\n\"\u{FFFD}")
    #expect(value?["b"]?.array?.last?.number == -150)
  }
}
