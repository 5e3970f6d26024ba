// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Testing

@testable import GeopublicistReplay

/// Readers of track files, without a bus.
@Suite struct TrackTests {
  private func fix(_ latitude: Double) -> Location { Location(latitude: latitude, longitude: 13) }

  /// Regression: the replay went on without the events of a start, and the source's state remained idle.
  @Test func `a replay that is started again in the callback of a location begins with its events`() throws {
    let source = ReplaySource(try #require(Track([Track.Measurement(fix: fix(1), time: nil)])), isLoop: true)
    var events: [String] = []
    source.onEvent = { event in
      switch event {
      case .authorization: events.append("authorization")
      case .status(let status): events.append(status.state.rawValue)
      case .location, .failure: events.append("location")
      }
      guard events.count == 3 else { return }
      source.require(nil)
      source.require(.exact)
    }
    source.require(.exact)
    try turning("another location") { events.count >= 7 }
    #expect(
      events.prefix(7) == ["authorization", "running", "location", "idle", "authorization", "running", "location"])
    source.require(nil)
  }

  @Test(
    arguments: [
      ([5_000_000, 6_500_000, 16_500_000], [0, 1_500_000, 11_500_000]),
      // Points without times are a second apart.
      ([nil, nil, nil], [0, 1_000_000, 2_000_000]),
      // A time that goes back does not reverse the track.
      ([90, 10, 20, nil, 1_000_030], [0, 1_000_000, 1_000_010, 2_000_010, 2_000_020]),
      ([.min, .max, .max, nil], [0, .max, .max, .max]), ([], nil),
    ] as [([Int64?], [Int64]?)]) func `the offsets of a track are relative to its first time`(
      times: [Int64?], offsets: [Int64]?
    )
  {
    #expect(Track(times.map { Track.Measurement(fix: fix(1), time: $0) })?.points.map(\.offset) == offsets)
  }

  @Test(arguments: [
    "<gpx><trk><trkseg><trkpt lat=\"52.5\" lon=\"13\"/></trkseg></trk></gpx>",
    #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[13,52]}}]}"#,
  ])
  func `a byte order mark does not matter`(text: String) throws {
    let plain = try TrackFile.track(in: text, from: "track")
    #expect(try TrackFile.track(in: "\u{FEFF}\(text)", from: "track").points.count == plain.points.count)
  }

  @Test func `a GPX track with all kinds of elements is read`() throws {
    let points = try GPXReader.read(
      """
      <?xml version="1.0"?>
      <gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1" xmlns:p="urn:p">
        <wpt lat="1" lon="1"/>
        <trk><trkseg>
          <trkpt lat=" 52.5" lon="-13.25"><ele>34.5</ele><time>2026-01-02T03:04:05.250Z</time><hdop>1.5</hdop>
            <extensions><p:speed>1.5</p:speed><p:course>90</p:course></extensions></trkpt>
          <trkpt lat="52.6" lon="13"><time>2026-01-02T04:04:06+01:00</time><extensions><p:accuracy>7</p:accuracy>
            </extensions></trkpt>
          <trkpt lat="nonsense" lon="13"/>
        </trkseg></trk>
      </gpx>
      """)
    #expect(points.count == 2)
    #expect(points[0].fix.latitude == 52.5 && points[0].fix.longitude == -13.25)
    #expect(points[0].fix.altitude == 34.5 && points[0].fix.speed == 1.5 && points[0].fix.heading == 90)
    #expect(points[0].fix.accuracy == 1 && points[1].fix.accuracy == 7)
    #expect(try #require(points[1].time) - #require(points[0].time) == 750_000)
  }

  @Test(arguments: [
    ("<gpx><wpt lat='1' lon='2'/><rte><rtept lat='3' lon='4'/></rte></gpx>", 3.0),
    ("<gpx><wpt lat='1' lon='2'/></gpx>", 1.0),
  ]) func `the routes or waypoints of a GPX file without a track are read`(text: String, latitude: Double) throws {
    #expect(try GPXReader.read(text).map(\.fix.latitude) == [latitude])
  }

  @Test(arguments: ["<gpx><trk>", "<kml/>", "<gpx></gpx><gpx>", "<gpx>&nope;</gpx>"])
  func `a file that is not GPX is refused`(text: String) {
    #expect(throws: MalformedTrack.self) { try GPXReader.read(text) }
  }

  @Test func `NMEA sentences with the same time become one fix`() throws {
    let points = NMEAReader.read(
      """
      $GPGGA,235959.50,5230.0000,N,01315.0000,W,1,08,4.0,34.5,M,46.9,M,,
      $GNRMC,235959.50,A,5230.0000,N,01315.0000,W,10.0,90.5,010126,,,A
      $GPGSV,nonsense
      $GPGGA,000000.50,3330.0000,S,01315.0000,E,1,08,1.0,,M,46.9,M,,\r
      """)
    #expect(points.count == 2)
    #expect(points[0].fix.latitude == 52.5 && points[0].fix.longitude == -13.25 && points[0].fix.altitude == 34.5)
    #expect(points[0].fix.accuracy == 3 && points[0].fix.heading == 90.5)
    #expect(abs((points[0].fix.speed ?? 0) - 5.1444) < 0.001)
    #expect(points[1].fix.latitude == -33.5)
    #expect(try #require(points[1].time) - #require(points[0].time) == 1_000_000)
  }

  @Test(arguments: [
    "$GPGGA,120000,5230.0000,N,01315.0000,W,0,08,4.0,34.5,M,46.9,M,,",
    "$GNRMC,120000,V,5230.0000,N,01315.0000,W,10.0,90.5,010126,,,A",
    "$GPGGA,120000,5230.0000,N,01315.0000,W,1,08,4.0,34.5,M,46.9,M,,*00",
    "$GPGGA,250000,5230.0000,N,01315.0000,W,1,08,4.0,34.5,M,46.9,M,,",
    "$GPGGA,120000,nan,N,01315.0000,W,1,08,4.0,34.5,M,46.9,M,,", "$GPGGA", "$", "", "$GPGGA,,,,,,,,,",
  ]) func `damaged NMEA sentences are skipped`(sentence: String) { #expect(NMEAReader.read(sentence).isEmpty) }

  @Test func `the simulated receiver writes valid NMEA checksums`() {
    #expect(NMEAReader.read(GGASentence(latitude: 52.5, longitude: 13.25).text).count == 1)
  }

  @Test(arguments: [(1.0, false), (4.0, true)]) func `playback stays at the last point, or starts again if it loops`(
    speed: Double, isLoop: Bool
  )
    throws
  {
    let times: [Int64] = [0, 2_000_000, 2_000_000]
    let track = try #require(
      Track(times.enumerated().map { Track.Measurement(fix: fix(Double($0 + 1)), time: $1) }))
    var playback = Playback(track, speed: speed, isLoop: isLoop)
    var seen: [Double] = []
    var dues: [Int64] = []
    playback.begin(at: 7)
    for _ in 0..<5 {
      seen.append(playback.point.fix.latitude)
      dues.append((playback.due - 7).microseconds)
      playback.advance()
    }
    #expect(seen == (isLoop ? [1, 2, 3, 1, 2] : [1, 2, 3, 3, 3]))
    let length = Int64(2_000_000 / speed)
    let again = length + 1_000_000
    #expect(
      dues
        == (isLoop
          ? [length, length, again, again + length, again + length]
          : [length, length, again, again + 1_000_000, again + 2_000_000]))
  }

  @Test func `the time of each point depends only on the start, and a pause delays all later points`() throws {
    let measurements = (0..<1_000).map { Track.Measurement(fix: fix(Double($0 % 90)), time: Int64($0) * 1_000_000) }
    let track = try #require(Track(measurements))
    var playback = Playback(track, speed: 60, isLoop: false)
    playback.begin(at: 0)
    for index in 1..<500 {
      #expect(abs(playback.due.sinceOrigin.microseconds - Int64(index) * 1_000_000 / 60) <= 1)
      playback.advance()
    }
    playback.begin(at: 1_000_000_000)
    #expect([16_666, 16_667].contains(playback.due.microseconds - 1_000_000_000))
  }

  @Test func `a time without a fix begins a new segment, but one sentence without a fix does not`() {
    let (place, end) = ("5230.0000,N,01315.0000,E", "1.0,90.0,010226,,,A")
    func starts(_ between: String) -> [Bool] {
      let lines = [
        "$GPRMC,115958,V,,,,,,,010226,,,N", "$GPRMC,120000,A,\(place),\(end)", between,
        "$GPGGA,120002,\(place),1,08,4.0,34.5,M,46.9,M,,", "$GPRMC,120002,A,\(place),\(end)",
      ]
      return NMEAReader.read(lines.joined(separator: "\n")).map(\.startsSegment)
    }
    #expect(starts("") == [true, false])
    #expect(starts("$GPRMC,120001,V,,,,,,,010226,,,N") == [true, true])
    #expect(starts("$GPGGA,,,,,,0,00,99.9,,,,,,") == [true, true])
    #expect(starts("$GPGGA,120000,,,,,0,00,99.9,,,,,,") == [true, false])
    #expect(starts("$GPRMC,120002,V,,,,,,,010226,,,N") == [true, false])
  }

  @Test func `the error estimate in a GST sentence becomes the accuracy`() throws {
    let position = "120000,5230.0000,N,01315.0000,E,1,08,4.0,34.5,M,46.9,M,,"
    for order in [
      ["$GPGGA,\(position)", "$GPGST,120000,,,,,3.0,4.0,6.0"], ["$GPGST,120000,,,,,3.0,4.0,6.0", "$GPGGA,\(position)"],
    ] {
      let points = NMEAReader.read(order.joined(separator: "\n"))
      #expect(points.count == 1)
      #expect(points.first?.fix.accuracy == 5)
    }
    #expect(NMEAReader.read("$GPGST,120001,,,,,3.0,4.0,6.0\n$GPGGA,\(position)").first?.fix.accuracy == 3)
    #expect(NMEAReader.read("$GPGGA,\(position)\n$GPGST,120000,,,,,-3.0,nan,6.0").first?.fix.accuracy == 3)
    #expect(NMEAReader.read("$GPGST,120000,,,,,3.0,4.0,6.0").isEmpty)
  }
}

/// GeoJSON as a track.
@Suite struct GeoJSONTests {
  @Test func `GeoJSON points are read with their properties`() throws {
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

  @Test func `the lines of a GeoJSON file are read if it has no points`() throws {
    let text = """
      {"features":[{"geometry":{"type":"LineString","coordinates":[[1,2],[3,4],["x"]]}}]}
      """
    #expect(try GeoJSONReader.read(text).map(\.fix.latitude) == [2, 4])
  }

  @Test(arguments: [
    "{", "[]", "{\"features\":1}", "{\"features\":[],}", "{\"a\":tru}", "{\"a\":1e999}", "{\"a\":\"\\u12\"}",
    "{} {}", String(repeating: "[", count: 100_000), "{\"features\":[\"", "{\"a\":-}",
  ]) func `a malformed GeoJSON file causes an error`(text: String) {
    #expect(throws: MalformedTrack.self) { try GeoJSONReader.read(text) }
  }

  @Test func `JSON strings are read with their escapes`() {
    let value = JSONReader.value("{\"a\":\"\\u00e9\\n\\\"\\ud800\", \"b\" : [true, null, -1.5e2]}")
    #expect(value?["a"]?.string == "\u{E9}\n\"\u{FFFD}")
    #expect(value?["b"]?.array?.last?.number == -150)
  }
}
