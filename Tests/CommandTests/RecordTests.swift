// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistLocationModel
import GeopublicistTestSupport
import Testing

@testable import geopublicist

/// `geopublicist record` writes files that other programs can open, and that are complete whenever it is interrupted.
@Suite(.serialized) struct RecordTests {
  private let directory = TemporaryDirectory()

  /// Records two fixes and ends the recording with a signal.
  private func record(_ name: String, endedBy signal: Int32 = SIGINT) throws -> String {
    let machine = try CommandFixture()
    let path = directory.freshFile(name)
    let recorder = try machine.started(["record", path])
    for (index, latitude) in [52.5, 52.6].enumerated() {
      // Half a minute apart: faster movement would be an implausible jump.
      let time = Date() + Double(30 * index - 30)
      try machine.geoclue.receiver.write(GGASentence(latitude: latitude, longitude: -13.25, time: time))
      try eventually("fix \(index)") {
        contents(path).contains(name.hasSuffix("nmea") ? "\(5230 + 6 * index)." : "\(latitude)")
      }
    }
    recorder.signal(signal)
    #expect(try recorder.waitForExit() == (signal == SIGKILL ? .signal(SIGKILL) : .status(0)))
    if signal != SIGKILL { #expect(recorder.standardOutput.hasPrefix("\(path): 2 fixes, 11.1")) }
    return path
  }

  private func contents(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

  @Test(arguments: [SIGINT, SIGKILL]) func `a GPX file is valid whether recording is interrupted or killed`(
    signal: Int32
  ) throws {
    let path = try record("track.gpx", endedBy: signal)
    let valid = try run(["xmllint", "--noout", "--schema", Rig.sourceFile("Tests/CommandTests/gpx-1.1.xsd"), path])
    #expect(valid.succeeded, "\(valid.standardError)")
    let text = contents(path)
    #expect(text.contains("<trkpt lat=\"52.5000000\" lon=\"-13.2500000\"><ele>34.5</ele><time>"))
    #expect(text.components(separatedBy: "<trkpt ").count == 3)
  }

  /// Regression: it succeeded.
  @Test func `a recording that ends with the bus is kept and fails`() throws {
    let machine = try CommandFixture()
    let path = directory.freshFile("cut.gpx")
    let recorder = try machine.started(["record", path])
    try machine.geoclue.receiver.write(GGASentence(latitude: 52.5, longitude: -13.25, time: Date()))
    try eventually("the fix") { contents(path).contains("52.5") }
    machine.bus.kill()
    #expect(try recorder.waitForExit() == .status(4))
    #expect(recorder.standardOutput.hasPrefix("\(path): 1 fix"))
    #expect(contents(path).hasSuffix("</gpx>\n"))
  }

  @Test(arguments: [SIGINT, SIGKILL]) func `a GeoJSON file is complete whether recording is interrupted or killed`(
    signal: Int32
  ) throws {
    let path = try record("track.geojson", endedBy: signal)
    let object = try #require(JSON(line: contents(path)))
    let kinds = object["features"]?.array?.map { $0["geometry"]?["type"]?.string }
    #expect(kinds == (signal == SIGKILL ? ["Point", "Point"] : ["Point", "Point", "LineString"]))
    #expect(object["features"]?[0]?["geometry"]?["coordinates"] == [-13.25, 52.5, 34.5])
  }

  @Test func `a recorded NMEA file can be replayed`() throws {
    let path = try record("track.nmea")
    #expect(contents(path).split(separator: "\r\n").count == 6)
    let bus = try PrivateBus(.session)
    let service = try Service(.session, on: bus, options: ["--replay", path])
    let located = try CommandRun.finished(["locate"], on: bus)
    #expect(located.standardOutput.contains("Latitude: 52.5000000°\nLongitude: -13.2500000°"))
    #expect(located.standardOutput.contains("\nSimulated: yes"))
    #expect(service.isRunning)
  }

  @Test(arguments: ["track.gpx", "track.geojson", "track.nmea"]) func `other programs can open a recording`(
    name: String
  )
    throws
  {
    let path = try record(name)
    let format = (name as NSString).pathExtension
    let result = try run(["gpsbabel", "-i", format, "-f", path, "-o", "gpx", "-F", "-"])
    #expect(result.succeeded, "\(result.standardError)")
    // Of two fixes in one second the command keeps one if the format has only whole seconds.
    #expect(result.standardOutput.contains("lat=\"52.500000"))
  }

  @Test func `an empty recording is a valid file`() throws {
    let machine = try CommandFixture()
    for name in ["a.gpx", "a.geojson"] {
      let path = directory.file(name)
      let result = try machine.finished(["record", path, "--duration", "200ms"])
      #expect(result.exit == .status(5))
      #expect(try run(["gpsbabel", "-i", name.hasSuffix("gpx") ? "gpx" : "geojson", "-f", path]).succeeded)
    }
  }

  @Test func `an existing file is replaced only with --force and continued only if it is a recording`() throws {
    let machine = try CommandFixture()
    let path = directory.file("mine.gpx")
    try "precious".write(toFile: path, atomically: true, encoding: .utf8)
    let refused = try machine.finished(["record", path])
    #expect(refused.exit == .status(1) && refused.standardError.contains("--force"))
    let continued = try machine.finished(["record", "--append", path])
    #expect(continued.exit == .status(1), "\(continued.standardError)")
    #expect(contents(path) == "precious")
    #expect(try machine.finished(["record", path, "--force", "--duration", "100ms"]).exit == .status(5))
    #expect(contents(path) == "precious", "nothing was recorded")
    let recorder = try machine.started(["record", path, "--force", "--count", "1"])
    try machine.measure(52.5, until: "the recording ends") { recorder.exited != nil }
    #expect(contents(path).hasPrefix("<?xml"), "\(recorder.standardError)")
  }

  /// Regression: it ended with 5, and said that there was no location before the timeout.
  @Test func `Ctrl-C before the first fix leaves the file that a recording would replace`() throws {
    let machine = try CommandFixture()
    let path = directory.file("mine.gpx")
    try "precious".write(toFile: path, atomically: true, encoding: .utf8)
    let recorder = try machine.started(["record", path, "--force"])
    try eventually("GeoClue is asked") { try !machine.geoclue.clients().isEmpty }
    recorder.signal(SIGINT)
    #expect(try recorder.waitForExit() == .status(130))
    #expect(!recorder.standardError.contains("timeout"))
    #expect(contents(path) == "precious", "nothing was recorded")
  }

  /// Regression: the file was removed, although nothing had been recorded in its place.
  @Test(arguments: ["mine.gpx", "mine.svg"])
  func `a recording that cannot begin leaves the file that it would replace`(name: String) throws {
    let bus = try PrivateBus(.session)
    let path = directory.file(name)
    try "precious".write(toFile: path, atomically: true, encoding: .utf8)
    let result = try run(
      [Rig.product("geopublicist"), "--address", bus.address, "record", "--force", path], within: .seconds(30))
    #expect(result.exit == .status(4), "\(result.standardError)")
    #expect(contents(path) == "precious")
    let new = directory.file("new.\(name)")
    _ = try run([Rig.product("geopublicist"), "--address", bus.address, "record", new], within: .seconds(30))
    #expect(!FileManager.default.fileExists(atPath: new))
  }

  @Test func `recording to a full disk fails with an error`() throws {
    let machine = try CommandFixture()
    let result = try machine.finished(["record", "/dev/full", "--force"])
    #expect(result.exit == .status(1) && result.standardError.contains("No space left"))
  }

  @Test func `recording continues after a restart of the service`() throws {
    let machine = try CommandFixture()
    let path = directory.file("on.gpx")
    let recorder = try machine.started(["record", path, "--count", "2"])
    try machine.measure(52.5)
    try eventually("the first fix") { contents(path).contains("52.5") }
    machine.service.kill()
    try eventually("the outage is reported") { recorder.standardError.contains("continues") }
    let service = try Service(.system, on: machine.bus)
    try eventually("GeoClue is asked again") { try !machine.geoclue.clients().isEmpty }
    try machine.measure(52.6)
    #expect(try recorder.waitForExit() == .status(0))
    #expect(contents(path).components(separatedBy: "<trkseg>").count == 3)
    #expect(service.isRunning)
  }

  @Test(arguments: ["track.gpx", "track.geojson", "track.nmea"])
  func `a recording that is continued begins a new segment`(name: String) throws {
    let path = try record(name)
    let machine = try CommandFixture()
    let recorder = try machine.started(["record", "--append", path, "--count", "2"])
    for latitude in [52.7, 52.8] {
      try machine.measure(latitude)
      // The second is held back for 5 s as a jump.
      try eventually("a fix", within: .seconds(20)) {
        contents(path).contains(name.hasSuffix("nmea") ? "52\(latitude == 52.7 ? 42 : 48)." : "\(latitude)")
      }
    }
    #expect(try recorder.waitForExit() == .status(0), "\(recorder.standardError)")
    // NMEA distinguishes the fixes of these tests only by whole seconds.
    guard !name.hasSuffix("nmea") else { return #expect(contents(path).components(separatedBy: "$GPGGA").count == 5) }
    let summary = try run([Rig.product("geopublicist"), "record", "--summary", "--json", path])
    #expect(JSON(line: summary.standardOutput)?["Fixes"]?.number == 4, "\(summary.standardError)")
    if name.hasSuffix("gpx") { #expect(contents(path).components(separatedBy: "<trkseg>").count == 3) }
  }

  @Test(arguments: ["gpx", "geojson", "nmea"]) func `a summary does not count the gap between two segments`(
    name: String
  ) throws {
    var format = try #require(TrackFormats.format(name, startingAt: Timestamp(seconds: 1_800_000_000)))
    var text = format.header
    for (index, latitude) in [52.5, 52.6, 0, 0.1].enumerated() {
      if index == 2 { format.interrupt() }
      let time = Timestamp(seconds: 1_800_000_000 + [0, 600, 7_200, 7_500][index])
      text += format.entry(Location(latitude: latitude, longitude: 13, timestamp: time))
    }
    let path = directory.freshFile("walk.\(name)")
    try (text + format.ending() + format.trailer).write(toFile: path, atomically: true, encoding: .utf8)
    let segments = try RecordedTrack.read(path)
    #expect(segments.map(\.count).filter { $0 > 0 } == [2, 2])
    let summary = TrackSummary(segments)
    #expect(summary.count == 4 && summary.seconds == 900 && abs(summary.metres - 22_184) < 20, "\(summary)")
  }

  /// Regression: the steps of a second in which a replay plays such a track counted as its duration.
  @Test func `a summary counts only times that the file contains`() throws {
    func point(_ number: Int, _ time: String?) -> String {
      let text = time.map { "<time>2026-01-01T00:00:\($0)Z</time>" } ?? ""
      return "<trkpt lat='0' lon='0.0\(number)'>\(text)</trkpt>"
    }
    for (times, seconds) in [([nil, nil, nil], 0.0), ([nil, "10", nil, "40"], 30), (["10", "20", nil], 10)] {
      let path = directory.freshFile("walk.gpx")
      let points = times.enumerated().map(point).joined()
      try "<gpx><trk><trkseg>\(points)</trkseg></trk></gpx>".write(toFile: path, atomically: true, encoding: .utf8)
      let summary = TrackSummary(try RecordedTrack.read(path))
      #expect(summary.count == times.count && summary.seconds == seconds && summary.metres > 2_000)
      #expect((summary.speed == nil) == (seconds == 0))
    }
  }

  /// Regression: it was at most 4,000,000 s.
  @Test func `a duration may be long`() {
    #expect(TrackSummary.text(seconds: 60 * 86_400) == "1440h")
    #expect(TrackSummary.text(seconds: 1e300) == "277777777h46min40s")
  }

  @Test func `replay refuses a pipe, which it could read only once`() throws {
    let path = directory.file("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    let result = try CommandRun.finished(["replay", path], on: PrivateBus(.session))
    #expect(result.exit == .status(1))
    #expect(result.standardError == "geopublicist: \(path): replay requires a regular file\n")
  }

  @Test(arguments: ["gpx", "geojson", "nmea"]) func `--append fails if the file has another format`(format: String)
    throws
  {
    let machine = try CommandFixture()
    let path = try record("track.gpx")
    let before = contents(path)
    let result = try machine.finished(["record", "--append", "--format", format, "--duration", "100ms", path])
    #expect(result.exit == .status(format == "gpx" ? 5 : 1), "\(result.standardError)")
    #expect(contents(path) == before)
  }

  @Test func `a recording on standard output is a complete file`() throws {
    let machine = try CommandFixture()
    let recorder = try machine.started(["record", "-", "--format", "geojson", "--count", "1"])
    try machine.measure(52.5)
    #expect(try recorder.waitForExit() == .status(0))
    #expect(JSON(line: recorder.standardOutput)?["features"]?.array?.count == 1)
    #expect(recorder.standardError == "geopublicist: 1 fix, 0 m\n")
  }

  @Test func `a recording is complete even if the reader of standard output exits first`() throws {
    let machine = try CommandFixture()
    let path = directory.file("walk.gpx")
    let command = "\"$1\" --address \"$2\" record \"$3\" --count 1 | true; exit ${PIPESTATUS[0]}"
    let program = Rig.product("geopublicist")
    let recorder = try ChildProcess(["bash", "-c", command, "-", program, machine.bus.address, path])
    try eventually("GeoClue is asked") { try !machine.geoclue.clients().isEmpty }
    try machine.measure(52.5)
    #expect(try recorder.waitForExit() == .status(0))
    #expect(contents(path).contains("52.5000000"))
  }

  @Test func `an SVG recording is well-formed`() throws {
    let machine = try CommandFixture()
    let path = directory.file("way.svg")
    let recorder = try machine.started(["record", path, "--count", "2"])
    try machine.measure(52.5, -13.25)
    try eventually("the first fix") { contents(path).contains("1 fix") }
    try machine.measure(52.6, -13.25)
    #expect(try recorder.waitForExit(within: .seconds(20)) == .status(0), "\(recorder.standardError)")
    let valid = try run(["xmllint", "--noout", path])
    #expect(valid.succeeded, "\(valid.standardError)")
    let text = contents(path)
    #expect(text.contains("class=\"way\"") && text.contains("class=\"start\"") && text.contains(" km</text>"))
  }

  @Test func `an SVG file is not accepted as a track`() throws {
    let path = directory.file("way.svg")
    try "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>".write(toFile: path, atomically: true, encoding: .utf8)
    for command in [["record", "--summary"], ["replay"]] {
      let result = try CommandRun.finished(command + [path], on: PrivateBus(.session))
      #expect(result.exit == .status(1))
      #expect(result.standardError == "geopublicist: \(path): not a track (expected GPX, GeoJSON or NMEA 0183)\n")
    }
  }

  @Test func `record refuses a file with an unknown extension`() throws {
    let result = try CommandRun.finished(["record", directory.file("way.kml")], on: PrivateBus(.session))
    #expect(result.exit == .status(2) && result.standardError.contains(".gpx, .geojson"))
  }

  @Test(arguments: ["track.gpx", "track.geojson"]) func `replay starts a service that plays a recording back`(
    name: String
  ) throws {
    let path = try record(name)
    let bus = try PrivateBus(.session)
    let replay = try CommandRun.started(["replay", path], on: bus)
    try eventually("a fix", within: .seconds(30)) { replay.standardOutput.contains(" 52.5000000 -13.2500000 ") }
    #expect(replay.standardOutput.contains(" simulated\n"))
    replay.signal(SIGINT)
    #expect(try replay.waitForExit() == .status(0), "\(replay.standardError)")
    // The service has exited with the command, so the next one can start.
    let program = "test -n \"$DBUS_SESSION_BUS_ADDRESS\" && exit 7"
    for _ in 1...3 {
      let result = try CommandRun.finished(["replay", path, "--", "sh", "-c", program], on: bus)
      #expect(result.exit == .status(7), "\(result.standardError)")
    }
  }

  /// Regression: the program went on without the service, and the status was 0.
  @Test func `replay passes a signal on to the program, and exits with its status`() throws {
    let path = try record("track.gpx")
    let bus = try PrivateBus(.session)
    let program = "trap 'exit 7' TERM; echo here; while :; do sleep 0.1; done"
    let replay = try CommandRun.started(["replay", path, "--", "sh", "-c", program], on: bus)
    try eventually("the program runs", within: .seconds(30)) { replay.standardOutput.contains("here") }
    replay.signal(SIGTERM)
    #expect(try replay.waitForExit() == .status(7), "\(replay.standardError)")
  }

  @Test func `a second Ctrl-C ends a replay whose program goes on`() throws {
    let path = try record("track.gpx")
    let bus = try PrivateBus(.session)
    let program = "trap 'echo ended; exit' TERM; echo here; while :; do sleep 0.1; done"
    let replay = try CommandRun.started(["replay", path, "--", "sh", "-c", program], on: bus)
    try eventually("the program runs", within: .seconds(30)) { replay.standardOutput.contains("here") }
    for _ in 1...2 { replay.signal(SIGINT) }
    try eventually("it ends", within: .seconds(30)) {
      replay.signal(SIGINT)
      return replay.exited != nil
    }
    #expect(try replay.waitForExit() == .status(130))
    try eventually("the program has ended", within: .seconds(30)) { replay.standardOutput.contains("ended") }
  }

  @Test func `--at makes the service report fixed coordinates`() throws {
    let bus = try PrivateBus(.session)
    let service = try Service(.session, on: bus, options: ["--at", "52.5,-13.25"])
    let located = try CommandRun.finished(["locate", "--format", "{latitude} {longitude}"], on: bus)
    #expect(located.standardOutput == "52.5 -13.25\n" && service.isRunning)
    let refused = try run([Rig.product("geopublicistd"), "--session", "--at", "91,0"])
    #expect(refused.exit == .status(2))
  }
}
