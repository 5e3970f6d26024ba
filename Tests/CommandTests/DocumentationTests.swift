import Foundation
import TestSupport
import Testing

@testable import geopublicist

private nonisolated let commands = ["status", "locate", "watch", "record", "list", "authorize", "monitor", "doctor"]

/// The manual and the completions say what the command does.
@Suite(.serialized) struct DocumentationTests {
  /// A command's options as its help has them.
  private func options(of command: String) throws -> Set<String> {
    let help = try run([Rig.product("geopublicist"), command, "--help"])
    return Set(help.standardOutput.matches(of: #/ (--[a-z-]+)/#).map { String($0.1) })
  }

  private func text(_ file: String) throws -> String {
    try String(contentsOfFile: Rig.sourceFile("packaging/\(file)"), encoding: .utf8)
  }

  @Test(arguments: commands) func everyOptionIsInTheManual(command: String) throws {
    let manual = try text("man/geopublicist.1").replacingOccurrences(of: "\\-", with: "-")
    #expect(manual.contains("\n.B \(command)\n") || manual.contains("\n.BI \(command) "))
    for option in try options(of: command) {
      #expect(manual.contains(option), "\(command) \(option)")
    }
  }

  @Test func noCommandIsForgottenHere() { #expect(Geopublicist.commands.map { $0.name } == commands) }

  /// The libraries that other programs may use, and what they pass on.
  @Test func everythingPublicInTheLibrariesIsDescribed() throws {
    // Beside the running tests, whatever other programs may be tested.
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") as NSString
    let result = try run(
      [
        Rig.file("undocumented.py"), "\(tests.deletingLastPathComponent)/Modules", "Publishing", "LocationModel",
        "MainLoop", "DBus", "GeoClue", "Publicist",
      ], within: .seconds(60))
    #expect(result.succeeded, "\(result.standardOutput)\(result.standardError)")
  }

  @Test func theManualIsWellFormed() throws {
    let file = Rig.sourceFile("packaging/man/geopublicist.1")
    let result = try run(["man", "--warnings=w", "-E", "UTF-8", "-l", "-Tutf8", "-Z", file])
    #expect(result.succeeded && result.standardError.isEmpty, "\(result.standardError)")
  }

  @Test(arguments: commands) func bashCompletesEveryOption(command: String) throws {
    let file = Rig.sourceFile("packaging/completions/geopublicist.bash")
    let script = """
      . /usr/share/bash-completion/bash_completion
      . '\(file)'
      COMP_LINE='geopublicist \(command) --' COMP_POINT=${#COMP_LINE} COMP_WORDS=(geopublicist \(command) --) COMP_CWORD=2
      COMP_POINT=${#COMP_LINE}
      _geopublicist
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let result = try run(["bash", "-c", script])
    #expect(try Set(result.standardOutput.split(separator: "\n").map(String.init)) == options(of: command))
  }

  @Test(arguments: commands) func zshKnowsEveryOption(command: String) throws {
    let completion = try text("completions/_geopublicist")
    for option in try options(of: command) { #expect(completion.contains(option), "\(command) \(option)") }
    #expect(completion.contains("'\(command):"))
    #expect(try run(["zsh", "-n", Rig.sourceFile("packaging/completions/_geopublicist")]).succeeded)
  }
}
