// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

@testable import geopublicist

/// The manual and the completions match the command.
@Suite(.serialized) struct DocumentationTests {
  private let directory = TemporaryDirectory()

  /// The options that a program or one of its commands lists in its help.
  private func options(of command: String?, _ program: String = "geopublicist") throws -> Set<String> {
    let help = try run([Rig.product(program)] + [command, "--help"].compactMap(\.self))
    return Set(help.standardOutput.matches(of: #/ (--[a-z-]+)/#).map { String($0.1) })
  }

  private func text(_ file: String) throws -> String {
    try String(contentsOfFile: Rig.sourceFile("packaging/\(file)"), encoding: .utf8)
  }

  private func manual(_ page: String) throws -> String {
    try text("man/\(page)").replacing("Fl \\-", with: "--").replacing("\\-", with: "-")
  }

  @Test(arguments: ["geopublicist", "geopublicistd"])
  func `the manual documents every global option`(program: String) throws {
    let manual = try manual(program == "geopublicist" ? "geopublicist.1" : "geopublicistd.8")
    for option in try options(of: nil, program) { #expect(manual.contains(option), "\(option)") }
  }

  @Test func `the manual and the shipped configuration have the same keys and defaults as the service`()
    throws
  {
    let shipped = try text("geopublicist.conf")
    var (values, described): ([String: Substring], [String: String]) = ([:], [:])
    for group in shipped.split(separator: "\n[").dropFirst() {
      let name = group.prefix { $0 != "]" }
      for line in group.matches(of: #/\n#([a-z-]+)=(.+)/#) { values["\(name) \(line.1)"] = line.2 }
    }
    for group in try text("man/geopublicist.conf.5").split(separator: "\n.Ss Group ").dropFirst() {
      let name = group.prefix { !$0.isNewline }
      for item in group.split(separator: "\n.It Cm ").dropFirst() {
        described["\(name) \(item.prefix { !$0.isNewline })"] = String(item.replacing("\n", with: " "))
      }
    }
    #expect(values.count > 10 && Set(values.keys) == Set(described.keys))
    for (key, value) in values { #expect(described[key]?.contains("default \(value)") == true, "\(key)") }
    let file = directory.file("all.conf")
    try shipped.replacing(#/\n#(?=[a-z-]+=)/#, with: "\n").write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try run([Rig.product("geopublicistd"), "--check", "--config", file]).succeeded)
  }

  @Test(arguments: await Geopublicist.names) func `the manual documents every command and its options`(
    command: String
  ) throws {
    let manual = try manual("geopublicist.1")
    #expect(manual.contains("\n.It Ic \(command)\n") || manual.contains("\n.It Ic \(command) "))
    for option in try options(of: command) { #expect(manual.contains(option), "\(command) \(option)") }
  }

  /// Programs may depend on the names of findings.
  @Test func `the manual names every finding of the command doctor`() throws {
    let manual = try manual("geopublicist.1")
    let folder = Rig.sourceFile("Sources/geopublicist/Doctor")
    var ids: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(atPath: folder) where file.hasPrefix("DiagnosisOf") {
      let source = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
      for match in source.matches(of: #/(?:problem|hint)\(\s*"([a-z]+)",\s*"([a-z-]+)",/#) {
        ids.insert("\(match.1)-\(match.2)")
      }
    }
    #expect(ids.count > 30)
    for id in ids { #expect(manual.contains(id), "\(id)") }
  }

  /// The libraries that other programs may use, and the modules that they re-export.
  @Test func `each public declaration of the libraries has a doc comment`() throws {
    // The modules are always beside the running tests, even if installed programs are tested.
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") as NSString
    let result = try run(
      [
        Rig.sourceFile("Tools/undocumented.py"), "\(tests.deletingLastPathComponent)/Modules", "Publishing",
        "PublishingTesting", "Combine", "GeopublicistLocationModel", "MainLoop", "DBus", "GeoClue",
        "GeopublicistClient", "Publicist", "PublicistTesting", "DBusPublishing", "MainLoopTasks",
        "GeopublicistContract",
      ], within: .seconds(60))
    #expect(result.succeeded, "\(result.standardOutput)\(result.standardError)")
  }

  @Test func `the manual pages are well-formed`() throws {
    let folder = Rig.sourceFile("packaging/man")
    let generated = directory.file("org.geopublicist.Location1.5")
    let manual = try run([Rig.sourceFile("packaging/manual.py")])
    #expect(manual.succeeded, "\(manual.standardError)")
    try manual.standardOutput.write(toFile: generated, atomically: true, encoding: .utf8)
    let pages = try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasSuffix(".in") }
    for page in pages.map({ "\(folder)/\($0)" }) + [generated] {
      let result = try run(["man", "--warnings=w", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page])
      #expect(result.succeeded && result.standardError.isEmpty, "\(result.standardError)")
      let lint = try run(["mandoc", "-Tlint", "-Wwarning", page])
      #expect(lint.standardOutput.isEmpty, "\(lint.standardOutput)")
    }
  }

  /// Makes the shells find the program under test.
  private static let environment = [
    "PATH": "\((Rig.product("geopublicist") as NSString).deletingLastPathComponent):/usr/bin:/bin", "TERM": "dumb",
  ]

  @Test(arguments: await Geopublicist.names) func `bash completes every option`(command: String)
    throws
  {
    let script = """
      . /usr/share/bash-completion/bash_completion
      . '\(Rig.sourceFile("packaging/completions/geopublicist.bash"))'
      COMP_LINE='geopublicist \(command) --' COMP_POINT=${#COMP_LINE} COMP_WORDS=(geopublicist \(command) --) COMP_CWORD=2
      COMP_POINT=${#COMP_LINE}
      _geopublicist
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let result = try run(["bash", "-c", script], environment: Self.environment)
    #expect(try Set(result.standardOutput.split(separator: "\n").map(String.init)) == options(of: command))
  }

  @Test func `fish completes words with descriptions`() throws {
    let file = Rig.sourceFile("packaging/completions/geopublicist.fish")
    let script = "source '\(file)'; complete -C 'geopublicist rep'; complete -C 'geopublicist locate --format=w'"
    let result = try run(["fish", "-c", script], environment: Self.environment)
    let lines = result.standardOutput.split(separator: "\n")
    #expect(lines == ["replay\t\(ReplayCommand.summary)", "--format=waybar"], "\(result.standardError)")
  }

  /// Completions by the Tab key: the beginning of a line, and the line that it becomes.
  @Test(arguments: [
    ("sta", "status"), ("w --acc", "w --accuracy"), ("--session mon", "--session monitor"),
    ("--address=x watch --acc", "--address=x watch --accuracy"),
    ("--address x list --js", "--address x list --json"), ("watch --accuracy nei", "watch --accuracy neighborhood"),
    ("locate -a ci", "locate -a city"), ("locate --max", "locate --maximum-age"),
    ("record --format=geo", "record --format=geojson"), ("record -f n", "record -f nmea"),
    ("record --for", "record --for"),
    ("record /etc/hostn", "record /etc/hostname"), ("authorize --int", "authorize --interactive"),
    ("monitor --li", "monitor --listen"), ("doctor --geo", "doctor --geoclue-config"), ("list --li", "list --li"),
    ("doctor --geoclue-config=/etc/dbus", "doctor --geoclue-config=/etc/dbus-1"),
    ("--vers", "--version"),
  ]) func `zsh completes a partial word`(beginning: String, completed: String) throws {
    let shell = try ChildProcess(["script", "-qefc", "zsh -f -i", "/dev/null"], environment: Self.environment)
    let folder = Rig.sourceFile("packaging/completions")
    try shell.send("unsetopt beep; fpath=('\(folder)' $fpath); autoload -Uz compinit; compinit -u -D; print rea''dy")
    try eventually("zsh is ready") { shell.standardOutput.contains("ready") }
    // Inserts a command before the line, so that the line is printed instead of executed. zsh removes an = at its end.
    try shell.send("geopublicist \(beginning)\t\u{1}print -r -- '<\u{5}>'")
    // A terminal ends its lines with two characters.
    let line = #/\r\n<geopublicist ([^>]*?) *>\r\n/#.matchingSemantics(.unicodeScalar)
    let found = try eventual("the line") { shell.standardOutput.firstMatch(of: line) }
    #expect(found.1 == completed)
  }
}
