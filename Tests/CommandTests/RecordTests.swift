// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// `geopublicist record`: files that other programs open, complete whenever the recording is interrupted.
@Suite(.serialized) struct RecordTests {
  private let directory = TemporaryDirectory()

  /// Records two fixes and ends the recording by a signal.
  private func record(_ name: String, endedBy signal: Int32 = SIGINT) throws -> String {
    let machine = try Machine()
    let path = directory.freshFile(name)
    let recorder = try CommandRun.started(["record", path], on: machine.bus)
    for (index, latitude) in [52.5, 52.6].enumerated() {
      try machine.measure(latitude, -13.25)
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

  @Test(arguments: [SIGINT, SIGKILL]) func `a GPX file is valid however it ends`(signal: Int32) throws {
    let path = try record("track.gpx", endedBy: signal)
    let valid = try run(["xmllint", "--noout", "--schema", Rig.sourceFile("Tests/CommandTests/gpx-1.1.xsd"), path])
    #expect(valid.succeeded, "\(valid.standardError)")
    let text = contents(path)
    #expect(text.contains("<trkpt lat=\"52.5000000\" lon=\"-13.2500000\"><ele>34.5</ele><time>"))
    #expect(text.components(separatedBy: "<trkpt ").count == 3)
  }

  @Test(arguments: [SIGINT, SIGKILL]) func `a GeoJSON file is one object however it ends`(signal: Int32) throws {
    let path = try record("track.geojson", endedBy: signal)
    let object = try #require(JSON(line: contents(path)))
    let kinds = object["features"]?.array?.map { $0["geometry"]?["type"]?.string }
    #expect(kinds == (signal == SIGKILL ? ["Point", "Point"] : ["Point", "Point", "LineString"]))
    #expect(object["features"]?[0]?["geometry"]?["coordinates"] == [-13.25, 52.5, 34.5])
  }

  @Test func `a recorded NMEA file can be replayed`() throws {
    let path = try record("track.nmea")
    #expect(contents(path).split(separator: "\r\n").count == 4)
    let bus = try PrivateBus(.session)
    let daemon = try Daemon(.session, on: bus, options: ["--replay", path])
    let located = try CommandRun.finished(["locate"], on: bus)
    #expect(located.standardOutput.contains("Latitude: 52.5000000°\nLongitude: -13.2500000°"))
    #expect(located.standardOutput.contains("\nSimulated: yes"))
    #expect(daemon.isRunning)
  }

  @Test(arguments: ["track.gpx", "track.geojson", "track.nmea"]) func `other programs open a recording`(name: String)
    throws
  {
    let path = try record(name)
    let format = (name as NSString).pathExtension
    let result = try run(["gpsbabel", "-i", format, "-f", path, "-o", "gpx", "-F", "-"])
    #expect(result.succeeded, "\(result.standardError)")
    // Of two fixes of one second it keeps one where the format has no more than that to tell them apart.
    #expect(result.standardOutput.contains("lat=\"52.500000"))
  }

  @Test func `an empty recording is a valid file`() throws {
    let machine = try Machine()
    for name in ["a.gpx", "a.geojson"] {
      let path = directory.file(name)
      let result = try CommandRun.finished(["record", path, "--duration", "200ms"], on: machine.bus)
      #expect(result.exit == .status(5))
      #expect(try run(["gpsbabel", "-i", name.hasSuffix("gpx") ? "gpx" : "geojson", "-f", path]).succeeded)
    }
  }

  @Test func `an existing file is not silently replaced`() throws {
    let machine = try Machine()
    let path = directory.file("mine.gpx")
    try "precious".write(toFile: path, atomically: true, encoding: .utf8)
    let refused = try CommandRun.finished(["record", path], on: machine.bus)
    #expect(refused.exit == .status(1) && refused.standardError.contains("--force"))
    #expect(contents(path) == "precious")
    _ = try CommandRun.finished(["record", path, "--force", "--duration", "100ms"], on: machine.bus)
    #expect(contents(path).hasPrefix("<?xml"))
  }

  @Test func `a full disk is reported`() throws {
    let machine = try Machine()
    let result = try CommandRun.finished(["record", "/dev/full", "--force"], on: machine.bus)
    #expect(result.exit == .status(1) && result.standardError.contains("No space left"))
  }

  @Test func `recording continues when the service returns`() throws {
    let machine = try Machine()
    let path = directory.file("on.gpx")
    let recorder = try CommandRun.started(["record", path, "--count", "2"], on: machine.bus)
    try machine.measure(52.5)
    try eventually("the first fix") { contents(path).contains("52.5") }
    machine.daemon.kill()
    try eventually("it says so") { recorder.standardError.contains("goes on") }
    let daemon = try Daemon(.system, on: machine.bus)
    try eventually("GeoClue is asked again") { try !machine.geoclue.clients().isEmpty }
    try machine.measure(52.6)
    #expect(try recorder.waitForExit() == .status(0))
    #expect(contents(path).components(separatedBy: "<trkseg>").count == 3)
    #expect(daemon.isRunning)
  }
}
