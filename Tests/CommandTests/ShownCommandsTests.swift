// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// The Markdown pages.
private nonisolated let texts = ["README.md", "Examples/README.md"] + pages()

private nonisolated func pages() -> [String] {
  let files = (try? FileManager.default.contentsOfDirectory(atPath: Rig.sourceFile("docs"))) ?? []
  return files.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
}

/// Runs every command that the documentation shows and compares its output with the documented one.
@Suite(.serialized) struct ShownCommandsTests {
  private static nonisolated let manuals = [
    "packaging/man/geopublicist.1", "packaging/man/geopublicistd.8", "packaging/man/geopublicist.conf.5",
    "packaging/man/org.geopublicist.Location1.5.in",
  ]

  private static func transcripts(of file: String) throws -> [Transcript] {
    try texts.contains(file) ? Transcript.all(inMarkdown: file) : Transcript.all(inManual: file)
  }

  @Test(arguments: texts + manuals) func `commands in the documentation print the output that is shown`(file: String)
    throws
  {
    let shown = try Self.transcripts(of: file).filter { !$0.steps.isEmpty }
    guard !shown.isEmpty else { return }
    let stage = try Stage()
    for transcript in shown {
      let outputs = try stage.play(transcript)
      #expect(outputs.count == transcript.steps.count, "\(transcript.place): \(outputs)")
      for (step, output) in zip(transcript.steps, outputs) {
        let found = Shape.lines(output)
        let expected = Shape.lines(step.output)
        let agrees = Shape.agree(found, expected)
        #expect(agrees, "\(transcript.place): \(step.command)\nshown \(expected)\ncomes \(found)")
      }
    }
  }

  /// Every code block is tested: if it is not a transcript, it is of a kind that another test covers.
  @Test(arguments: texts + manuals) func `every code block is of a kind that a test covers`(file: String) throws {
    let blocks = try Self.transcripts(of: file).filter(\.steps.isEmpty)
    for block in blocks {
      switch block.language {
      case "text": #expect(block.lines.contains { $0.contains("┌") }, "\(block.place): a drawing")
      case "sh": try check(commands: block)
      case "python", "javascript", "swift": try check(program: block)
      default: try check(configuration: block)
      }
    }
  }

  /// Commands that change the machine or are slow. Only the existence of the targets is checked here; the package is
  /// installed in containers.
  private func check(commands block: Transcript) throws {
    for line in block.lines {
      let command = line.split(separator: "#")[0].trimmingCharacters(in: .whitespaces)
        .replacing(/^sudo (?=make)/, with: "")
      if command.hasPrefix("make ") {
        let root = Rig.sourceFile("")
        let words = command.split(separator: " ").dropFirst().map(String.init)
        #expect(try run(["make", "-n", "-C", root] + words).succeeded, "\(block.place): \(command)")
      } else {
        #expect(command == "sudo apt install ./geopublicist_*.deb", "\(block.place)")
      }
    }
  }

  /// Checks that a shown program is one of the tested examples or a part of one.
  private func check(program block: Transcript) throws {
    let isShown = try Self.examples().contains { "\n\($0)".contains("\n\(block.text)") }
    #expect(isShown, "\(block.place): no part of any example")
  }

  /// The texts of all files in `Examples`.
  private static func examples() throws -> [String] {
    let folder = Rig.sourceFile("Examples")
    return try FileManager.default.subpathsOfDirectory(atPath: folder)
      .filter { !$0.hasPrefix(".") && !$0.contains("/.") }
      .compactMap { try? String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }
  }

  /// A file that the service reads or, in a manual page, a part of an example.
  private func check(configuration block: Transcript) throws {
    guard block.lines.first?.hasPrefix("[") == true else { return try check(program: block) }
    let directory = TemporaryDirectory()
    let path = directory.file("geopublicist.conf")
    try block.text.write(toFile: path, atomically: true, encoding: .utf8)
    let bus = try PrivateBus(.session)
    let service = try Service(.session, on: bus, options: ["--config", path])
    #expect(service.isRunning, "\(block.place)")
    withExtendedLifetime(bus) {}
  }

  @Test(arguments: texts) func `each link in the documentation leads to a file`(file: String) throws {
    let text = try String(contentsOfFile: Rig.sourceFile(file), encoding: .utf8)
    let folder = (file as NSString).deletingLastPathComponent
    for link in text.matches(of: #/\]\(([^):#]+)[^):]*\)|(?:src|srcset)="([^"]+)"/#) {
      let target = String(link.1 ?? link.2 ?? "")
      #expect(FileManager.default.fileExists(atPath: Rig.sourceFile("\(folder)/\(target)")), "\(file): \(target)")
    }
  }

  @Test func `the README is short and shows two commands on its first screen`() throws {
    let text = try String(contentsOfFile: Rig.sourceFile("README.md"), encoding: .utf8)
    let lines = text.components(separatedBy: "\n")
    #expect(lines.count <= 201)
    let screen = lines.prefix(30).joined(separator: "\n")
    #expect(screen.contains("\nmake demo ") && screen.contains("\nmake check "))
  }

  @Test func `the comparison of outputs ignores only numbers and omitted parts`() {
    #expect(Shape.line("geo:52.5162750,13.3777040,34;u=1") == Shape.line("geo:1,-2.5,3.25;u=12"))
    #expect(Shape.line("Measured: 2026-11-21 08:35:11 (now)") == Shape.line("Measured: 2027-01-02 10:00:00 (3 s ago)"))
    #expect(Shape.line("State \"idle\"") != Shape.line("State \"running\""))
    #expect(Shape.line("\r\u{1B}[KWaiting…\r\u{1B}[Kdone\r") == "done")
    #expect(Shape.line("Speed: 3 m/s") == nil)
    #expect(Shape.agree("a b c", "a …c") && Shape.agree("abc", "…") && Shape.agree("abc", "abc…"))
    #expect(!Shape.agree("abc", "…b") && !Shape.agree("abc", "b…") && !Shape.agree("abc", "…c…c"))
  }
}

/// The environment of the documented commands: a terminal in a private folder, a simulated walk, and both buses.
private final class Stage {
  private static let end = "\u{1E}"

  private let directory = TemporaryDirectory()
  private let machine: CommandFixture
  private let session: PrivateBus
  private let agent: DesktopAgent
  private var walk: [GGASentence]

  init() throws {
    machine = try CommandFixture()
    session = try PrivateBus(.session)
    agent = try DesktopAgent(at: machine.bus.address)
    // Along Unter den Linden at 1.4 m/s, as in the demo.
    let there = (0..<260).map { second in
      GGASentence(
        latitude: 52.516275 + Double(second) * 1.86e-6, longitude: 13.377704 + Double(second) * 20.5e-6, altitude: 34.5,
        dilution: 2)
    }
    walk = there + there.reversed()
  }

  /// The documentation shows an idle service, but the service keeps GeoClue for a moment after a call.
  private func waitUntilIdle() throws {
    let question = [
      "gdbus", "call", "--address", machine.bus.address, "--dest", Service.name, "--object-path", Service.path,
      "--method",
      "org.freedesktop.DBus.Properties.Get", Service.name, "State",
    ]
    try eventually("the service is idle", within: .seconds(30)) { try run(question).standardOutput.contains("idle") }
  }

  /// The output of each command, after all have ended.
  func play(_ transcript: Transcript) throws -> [[String]] {
    try waitUntilIdle()
    let bin = (Rig.product("geopublicist") as NSString).deletingLastPathComponent
    let commands = transcript.steps.map { step in
      let command = step.command.replacing("/usr/libexec/geopublicistd", with: "'\(bin)/geopublicistd'")
        .replacing("make demo", with: "make -s -C '\(Rig.sourceFile(""))' demo")
      return "printf '\\036'; (exit $status)\n\(command)\nstatus=$?\n"
    }
    let script = directory.freshFile("commands")
    let frame = "trap 'kill $(jobs -p) 2> /dev/null' EXIT\ncd '\(directory.path)'; stty cols 100; status=0\n"
    try (frame + commands.joined()).write(toFile: script, atomically: true, encoding: .utf8)
    let terminal = try ChildProcess(
      ["script", "-qefc", "sh '\(script)'", "/dev/null"],
      environment: [
        "TERM": "xterm", "NO_COLOR": "1", "SYSTEMD_COLORS": "0", "SYSTEMD_PAGER": "cat",
        "PATH": "\(bin):/usr/bin:/bin", "GEOPUBLICIST_BIN": bin, "COUNT": "3", "RATE": "20",
        "DBUS_SYSTEM_BUS_ADDRESS": machine.bus.address, "DBUS_SESSION_BUS_ADDRESS": session.address,
      ])
    try eventually("the end of \(transcript.place)", within: .seconds(120)) {
      if terminal.exited != nil { return true }
      // Like a receiver, writes while GeoClue is connected.
      if machine.geoclue.receiver.isConnected, var here = walk.first {
        here.time = Date()
        machine.geoclue.receiver.offer(here)
        walk.append(walk.removeFirst())
        usleep(50_000)
      }
      return false
    }
    // A terminal ends its lines with two characters.
    let text = terminal.standardOutput.replacing("\r\n", with: "\n")
    return text.components(separatedBy: Self.end).dropFirst().map { $0.components(separatedBy: "\n") }
  }
}
