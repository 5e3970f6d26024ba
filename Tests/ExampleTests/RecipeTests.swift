// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// The recipes of `Examples/recipes` with the real service. Stand-ins for the programs that they control record their
/// input.
@Suite(.serialized) struct RecipeTests {
  private let directory = TemporaryDirectory()

  private func recipe(_ name: String) -> String { Rig.sourceFile("Examples/recipes/\(name)") }

  /// Starts a recipe with the command in its path, and a shell script instead of another program.
  private func start(
    _ arguments: [String], in machine: ExampleFixture? = nil, with program: (name: String, script: String)? = nil
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

  @Test func `the commands in the waybar recipe print JSON and open a map`() throws {
    let machine = try ExampleFixture()
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

  @Test func `the theme script sets the colour scheme of the current phase`() throws {
    let machine = try ExampleFixture()
    let process = try start([recipe("theme.sh")], in: machine, with: ("gsettings", "echo \"$@\""))
    let phase = try start(["geopublicist", "almanac", "--format", "{phase}"], in: machine)
    try machine.stand(52.5, 13.25, until: "a theme") { process.standardOutput.contains("\n") && phase.exited != nil }
    let scheme = phase.standardOutput.hasSuffix("day\n") ? "prefer-light" : "prefer-dark"
    #expect(process.standardOutput == "set org.gnome.desktop.interface color-scheme \(scheme)\n")
  }

  @Test func `the darkman recipe sets the mode of the current phase with and without darkman`() throws {
    let machine = try ExampleFixture()
    let darkman = try start([recipe("darkman.sh")], in: machine, with: ("darkman", "echo \"$@\""))
    let phase = try start(["geopublicist", "almanac", "--format", "{phase}"], in: machine)
    try machine.stand(52.5, 13.25, until: "a mode") { darkman.standardOutput.contains("\n") && phase.exited != nil }
    let mode = phase.standardOutput.hasSuffix("day\n") ? "light" : "dark"
    #expect(darkman.standardOutput == "set \(mode)\n")
    try FileManager.default.removeItem(atPath: directory.file("darkman"))
    for hook in ["light-mode.d/one", "dark-mode.d/one", "darkman/two"] {
      let file = directory.file(hook)
      try FileManager.default.createDirectory(
        atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try "#!/bin/sh\necho \(hook) $1\nexit 1\n".write(toFile: file, atomically: true, encoding: .utf8)
      chmod(file, 0o755)
    }
    let hooks = try start(["env", "XDG_DATA_HOME=\(directory.path)", recipe("darkman.sh")], in: machine)
    try machine.stand(52.5, 13.25, until: "the hooks") { hooks.standardOutput.contains("two") }
    #expect(hooks.standardOutput == "\(mode)-mode.d/one \(mode)\ndarkman/two \(mode)\n")
  }

  @Test(arguments: [
    ("gammastep", "-P -O KELVIN"), ("hyprsunset", "-t KELVIN"), ("wlsunset", "-t KELVIN -T NEXT -S 06:00 -s 18:00"),
  ])
  func `the night-light recipe sets the colour temperature of the phase and ends its children`(
    program: String, arguments: String
  ) throws {
    let machine = try ExampleFixture()
    let process = try start(
      [recipe("night-light.sh"), program, "3400"], in: machine,
      with: (program, "echo \"$@\" >> '\(directory.file("lamp"))'; exec sleep 60"))
    // By day the lamp is off.
    let phase = try start(["geopublicist", "almanac", "--format", "{phase}"], in: machine)
    try machine.stand(52.5, 13.25, until: "the phase of the day") { phase.exited != nil }
    let kelvin = ["night": 3400, "twilight-morning": 4950, "twilight-evening": 4950][phase.newLines().first ?? ""]
    if let kelvin {
      let expected = arguments.replacing("KELVIN", with: "\(kelvin)").replacing("NEXT", with: "\(kelvin + 1)")
      try machine.stand(52.5, 13.25, until: "the lamp") {
        (try? String(contentsOfFile: directory.file("lamp"), encoding: .utf8)) == "\(expected)\n"
      }
    }
    #expect(process.exited == nil, "\(process.standardError)")
    let children = try contents(of: "/proc/\(process.processIdentifier)/task/\(process.processIdentifier)/children")
      .split(separator: " ").map(String.init)
    // The command that follows the sun, and the lamp.
    #expect(children.count == (kelvin == nil ? 1 : 2))
    process.signal(SIGTERM)
    #expect(try process.waitForExit() == .status(143))
    try eventually("its children end") {
      !children.contains { FileManager.default.fileExists(atPath: "/proc/\($0)/fd/0") }
    }
  }

  private func contents(of file: String) throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

  @Test(arguments: [
    "python/watch_dbus.py", "python/watch_gi.py", "javascript/watch.js", "shell/once_busctl.sh", "shell/once_gdbus.sh",
    "shell/watch_command.sh", "recipes/home-assistant.sh", "recipes/log-location.sh", "recipes/mqtt.sh",
  ]) func `an example that is started without arguments prints its usage`(example: String) throws {
    let result = try start([Rig.sourceFile("Examples/\(example)")])
    let exit = try result.waitForExit()
    #expect((exit == .status(1) || exit == .status(2)) && result.standardError.hasPrefix("usage: "), "\(result.output)")
    #expect(result.standardError.split(separator: "\n").count == 1, "\(result.standardError)")
  }

  @Test func `a widget of twenty lines shows the almanac, and again after a restart of the service`() throws {
    let machine = try ExampleFixture()
    let widget = try start([Rig.python, Rig.sourceFile("Examples/short/almanac.py")], in: machine)
    for count in 1...2 {
      try machine.stand(52.5, 13.25, until: "line \(count): \(widget.output)") {
        widget.standardOutput.matches(of: #/(?m)^[a-z-]+ Europe/Berlin .+$/#).count == count
      }
      if count == 1 { try machine.restartService() }
    }
    #expect(!widget.standardOutput.contains("denied"))
  }

  @Test func `the cron job records the place, and prints nothing if there is none`() throws {
    let machine = try ExampleFixture()
    let file = directory.file("places.txt")
    let silent = try start([recipe("log-location.sh"), file])
    #expect(try silent.waitForExit(within: .seconds(20)) == .status(0))
    #expect(silent.standardOutput + silent.standardError == "" && !FileManager.default.fileExists(atPath: file))
    let process = try start([recipe("log-location.sh"), file], in: machine)
    try machine.stand(52.5, 13.25, until: "the end of the job") { process.exited != nil }
    let noted = try String(contentsOfFile: file, encoding: .utf8)
    #expect(noted.wholeMatch(of: #/[-0-9]+T[0-9:.]+Z 52\.\d\d 13\.\d\d\n/#) != nil, "\(noted)\(process.standardError)")
  }

  @Test func `a real MQTT broker receives JSON objects and the messages of Home Assistant's device tracker`() throws {
    let machine = try ExampleFixture()
    let broker = directory.file("broker")
    let settings = directory.file("mosquitto.conf")
    try "listener 0 \(broker)\nallow_anonymous true\nuser root\n".write(
      toFile: settings, atomically: true, encoding: .utf8)
    // Port 0 means that the host is the path of a socket.
    for name in ["mosquitto_pub", "mosquitto_sub"] {
      try "-p 0\n".write(toFile: directory.file(name), atomically: true, encoding: .utf8)
    }
    let mosquitto = try ChildProcess(["/usr/sbin/mosquitto", "-c", settings])
    try eventually("the broker runs", seen: mosquitto.output) { FileManager.default.fileExists(atPath: broker) }
    func client(_ arguments: [String]) throws -> ChildProcess {
      try start(["env", "XDG_CONFIG_HOME=\(directory.path)"] + arguments, in: machine)
    }
    let tracker = try client([recipe("home-assistant.sh"), broker])
    let pipe = try client([recipe("mqtt.sh"), broker, "here"])
    let reader = try client(["mosquitto_sub", "-h", broker, "-t", "#", "-F", "%t %p"])
    var messages: [String: JSON] = [:]
    try machine.stand(52.5, 13.25, until: "three messages in \(messages) \(tracker.output)") {
      for line in reader.newLines() {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        messages[words[0]] = JSON(line: words[1])
      }
      return messages.count == 3
    }
    #expect(messages["here"]?["Level"] == "neighborhood" && pipe.exited == nil)
    let topic = try #require(messages.keys.first { $0.hasPrefix("homeassistant/device_tracker/") })
    let attributes = try #require(messages[topic]?["json_attributes_topic"]?.string)
    #expect(topic.hasSuffix("/config") && messages[topic]?["source_type"] == "gps")
    let place = try #require(messages[attributes])
    #expect(abs((place["latitude"]?.number ?? 0) - 52.5) < 0.03)
    #expect(abs((place["longitude"]?.number ?? 0) - 13.25) < 0.05)
    #expect(place["gps_accuracy"]?.number == 3_000 && place["Level"] == nil)
  }

  @Test func `the permission button receives the status after an interactive call`() throws {
    let machine = try ExampleFixture()
    let process = try start([Rig.python, recipe("permission_button.py"), "--ask"], in: machine)
    #expect(try process.waitForExit() == .status(0), "\(process.standardError)")
    #expect(process.standardOutput == "authorized-always\n")
  }
}
