// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// The recipes of `Examples/recipes`, with the real service; the programs that they feed only note what they get.
@Suite(.serialized) struct RecipeTests {
  private let directory = TemporaryDirectory()

  private func recipe(_ name: String) -> String { Rig.sourceFile("Examples/recipes/\(name)") }

  /// Starts a recipe with the command in its path, and a shell script in the place of another program.
  private func start(
    _ arguments: [String], in machine: Machine? = nil, with program: (name: String, script: String)? = nil
  ) throws -> ChildProcess {
    if let program {
      let file = directory.file(program.name)
      try "#!/bin/sh\n\(program.script)\n".write(toFile: file, atomically: true, encoding: .utf8)
      chmod(file, 0o755)
    }
    let programs = (Rig.product("geopublicist") as NSString).deletingLastPathComponent
    return try ChildProcess(
      arguments,
      environment: [
        "PATH": "\(directory.path):\(programs):/usr/bin:/bin",
        "DBUS_SYSTEM_BUS_ADDRESS": machine?.bus.address ?? "unix:path=/nonexistent",
      ])
  }

  @Test func `the module for waybar runs a command that prints JSON for it`() throws {
    let machine = try Machine()
    let text = try String(contentsOfFile: recipe("waybar.jsonc"), encoding: .utf8)
    let settings = try #require(JSON(line: text.replacing(#/(?m)^\/\/.*$/#, with: "")))
    let module = try #require(settings["custom/location"])
    let process = try start(["sh", "-c", #require(module["exec"]?.string)], in: machine)
    try machine.stand(52.5, 13.25, until: "a line for waybar") { process.standardOutput.contains("\n") }
    let line = try #require(JSON(line: process.newLines()[0]))
    #expect(line["text"]?.string?.isEmpty == false && module["return-type"]?.string == "json")
    let click = try #require(module["on-click"]?.string)
    let map = try start(["sh", "-c", click], in: machine, with: ("xdg-open", "echo \"$1\""))
    try machine.stand(52.5, 13.25, until: "a map") { map.exited != nil }
    #expect(map.standardOutput.hasPrefix("https://www.openstreetmap.org/"), "\(map.standardError)")

    let daylight = try #require(settings["custom/daylight"]?["exec"]?.string)
    let follower = try start(["sh", "-c", daylight], in: machine)
    try machine.stand(52.5, 13.25, until: "daylight for waybar") { follower.standardOutput.contains("\n") }
    let shown = try #require(JSON(line: follower.newLines()[0]))
    #expect(shown["tooltip"]?.string?.hasSuffix("Europe/Berlin") == true)
    #expect(shown["text"]?.string?.hasPrefix(shown["class"]?.string ?? "-") == true, "\(shown.line)")
  }

  @Test func `the theme follows daylight`() throws {
    let machine = try Machine()
    let process = try start([recipe("theme.sh")], in: machine, with: ("gsettings", "echo \"$@\""))
    let phase = try start(["geopublicist", "almanac", "--format", "{phase}"], in: machine)
    try machine.stand(52.5, 13.25, until: "a theme") { process.standardOutput.contains("\n") && phase.exited != nil }
    let scheme = phase.standardOutput.hasSuffix("day\n") ? "prefer-light" : "prefer-dark"
    #expect(process.standardOutput == "set org.gnome.desktop.interface color-scheme \(scheme)\n")
  }

  @Test func `the night light follows the sun and goes out with its script`() throws {
    let machine = try Machine()
    let process = try start(
      [recipe("night-light.sh"), "3400"], in: machine,
      with: ("gammastep", "echo \"$@\" >> '\(directory.file("lamp"))'; exec sleep 60"))
    // By day there is nothing to light.
    let phase = try start(["geopublicist", "almanac", "--format", "{phase}"], in: machine)
    try machine.stand(52.5, 13.25, until: "the phase of the day") { phase.exited != nil }
    let kelvin = ["night": "3400", "twilight-morning": "4950", "twilight-evening": "4950"][phase.newLines().first ?? ""]
    if let kelvin {
      try machine.stand(52.5, 13.25, until: "the lamp") {
        (try? String(contentsOfFile: directory.file("lamp"), encoding: .utf8)) == "-P -O \(kelvin)\n"
      }
    }
    #expect(process.exited == nil, "\(process.standardError)")
  }

  @Test func `the cron job notes the place, and is silent where there is none`() throws {
    let machine = try Machine()
    let file = directory.file("places.txt")
    let silent = try start([recipe("log-location.sh"), file])
    #expect(try silent.waitForExit(within: .seconds(20)) == .status(0))
    #expect(silent.standardOutput + silent.standardError == "" && !FileManager.default.fileExists(atPath: file))
    let process = try start([recipe("log-location.sh"), file], in: machine)
    try machine.stand(52.5, 13.25, until: "the end of the job") { process.exited != nil }
    let noted = try String(contentsOfFile: file, encoding: .utf8)
    #expect(noted.wholeMatch(of: #/[-0-9]+T[0-9:.]+Z 52\.\d\d 13\.\d\d\n/#) != nil, "\(noted)\(process.standardError)")
  }

  @Test func `MQTT gets one JSON object a line`() throws {
    let machine = try Machine()
    let process = try start(
      [recipe("mqtt.sh"), "broker.example", "here"], in: machine, with: ("mosquitto_pub", "echo \"$@\"; cat"))
    try machine.stand(52.5, 13.25, until: "a location") { process.standardOutput.contains("}") }
    let lines = process.newLines()
    #expect(lines.first == "-h broker.example -t here -l")
    #expect(JSON(line: lines[1])?["Level"] == "neighborhood")
  }

  @Test func `the permission button calls with a flag and enough time`() throws {
    let machine = try Machine()
    let process = try start([Rig.python, recipe("permission_button.py"), "--ask"], in: machine)
    #expect(try process.waitForExit() == .status(0), "\(process.standardError)")
    #expect(process.standardOutput == "authorized-always\n")
  }
}
