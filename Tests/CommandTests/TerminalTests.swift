// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// The command on a terminal, which `script` from util-linux provides.
@Suite(.serialized) struct TerminalTests {
  private let machine: CommandFixture

  init() throws { machine = try CommandFixture() }

  private func onTerminal(
    _ arguments: String, after preparation: String = "", before conclusion: String = "",
    environment: [String: String] = [:]
  ) throws -> ChildProcess {
    let command = "exec '\(Rig.product("geopublicist"))' --address '\(machine.bus.address)' \(arguments)"
    return try ChildProcess(
      ["script", "-qefc", preparation + command + conclusion, "/dev/null"],
      environment: ["TERM": "xterm"].merging(environment) { $1 })
  }

  @Test func `output has colours and columns only on a terminal`() throws {
    let status = try onTerminal("status")
    #expect(try status.waitForExit() == .status(0))
    #expect(status.standardOutput.contains("\u{1B}[32mauthorized-always\u{1B}[0m\r\n               Access"))
    let pipe = try machine.finished(["status"], environment: ["TERM": "xterm"])
    #expect(!pipe.standardOutput.contains("\u{1B}"))
  }

  @Test(arguments: [["NO_COLOR": "1"], ["TERM": "dumb"]])
  func `NO_COLOR and a dumb terminal turn colours off`(environment: [String: String]) throws {
    let status = try onTerminal("status", environment: environment)
    #expect(try status.waitForExit() == .status(0))
    #expect(!status.standardOutput.contains("\u{1B}[32m"))
    #expect(status.standardOutput.contains("authorized-always"))
  }

  @Test func `watch redraws in place and ends on Ctrl-C`() throws {
    let watch = try onTerminal("watch")
    try machine.measure(52)
    try eventually("the fix is drawn") { watch.standardOutput.contains("Latitude \u{1B}[0m  \u{1B}[1m52.0000000°") }
    try eventually("it moves up and draws again") { watch.standardOutput.contains(#/\e\[\d+A\r/#) }
    try watch.send("\u{3}")
    #expect(try watch.waitForExit() == .status(0))
  }

  /// Regression: the drawing covered it.
  @Test func `watch ends with the reason below its drawing`() throws {
    let watch = try onTerminal("watch --duration 1s")
    #expect(try watch.waitForExit() == .status(5))
    let text = watch.standardOutput
    let reason = try #require(text.range(of: "geopublicist: "))
    #expect(!text[reason.upperBound...].contains("\u{1B}"), "\(text.debugDescription)")
  }

  @Test func `a terminal with three rows still shows latitude and longitude`() throws {
    let watch = try onTerminal("watch", after: "stty rows 3 cols 30; ")
    try machine.measure(52)
    // A terminal ends its lines with two characters, which Swift would match as one.
    let rows = #/\e\[2A\r[^\n]*Latitude[^\n]*52\.0000000[^\n]*\n[^\n]*Longitude/#.matchingSemantics(.unicodeScalar)
    try eventually("both are drawn, and again in the same place") { watch.standardOutput.contains(rows) }
    #expect(!watch.standardOutput.contains(#/\e\[(?:[3-9]|\d\d)A/#))
  }

  @Test func `q ends watch, and keys are not echoed while it runs`() throws {
    let watch = try onTerminal("watch")
    try machine.measure(52)
    try eventually("the location is drawn") { watch.standardOutput.contains("52.0000000") }
    try watch.send("xyz")
    try watch.send("q")
    #expect(try watch.waitForExit() == .status(0))
    #expect(!watch.standardOutput.contains("xyz"))
  }

  @Test(arguments: [("dumb", "watch"), ("xterm", "watch --json")])
  func `q also ends a watch that does not redraw the screen`(terminal: String, command: String) throws {
    let watch = try onTerminal(command, environment: ["TERM": terminal])
    try machine.measure(52)
    try eventually("the location is printed") { watch.standardOutput.contains("52") }
    try watch.send("q")
    #expect(try watch.waitForExit() == .status(0))
  }

  @Test func `watch sets up the terminal again after Ctrl-Z and fg`() throws {
    // The command is stopped with job control, because a SIGSTOP would also stop `script`, which would then forward no
    // keys.
    let watch = try onTerminal(
      "watch", after: "echo shell $$; set -m; (", before: "); stty icanon echo; echo stopped; fg")
    try machine.measure(52)
    try eventually("the location is drawn") { watch.standardOutput.contains("52.0000000") }
    let shell = try #require(watch.standardOutput.firstMatch(of: #/shell (\d+)/#)?.1)
    try watch.send("\u{1A}", terminator: "")
    try eventually("the shell has the terminal") { watch.standardOutput.contains("stopped") }
    try eventually("single keys are read") {
      try run(["stty", "-F", "/proc/\(shell)/fd/0", "-a"]).standardOutput.contains("-icanon")
    }
    try watch.send("q", terminator: "")
    #expect(try watch.waitForExit() == .status(0))
  }

  /// Regression: the kernel stopped it when it restored the terminal of the foreground.
  @Test func `watch in the background ends`() throws {
    let watch = try onTerminal(
      "watch --count 2", after: "set -m; (", before: "); stty icanon echo; echo stopped; bg; wait %1; echo status $?")
    try machine.measure(52)
    try eventually("the location is drawn") { watch.standardOutput.contains("52.0000000") }
    try watch.send("\u{1A}", terminator: "")
    try eventually("the shell has the terminal") { watch.standardOutput.contains("stopped") }
    try machine.measure(53, until: "it ends") { watch.standardOutput.contains("status 0") }
    #expect(try watch.waitForExit() == .status(0))
  }

  @Test func `watch wraps a long value on a narrow terminal`() throws {
    let status = try onTerminal("status", after: "stty cols 40; ")
    #expect(try status.waitForExit() == .status(0))
    let text = status.standardOutput.replacing(#/\e\[\d*m/#, with: "")
    #expect(text.split(separator: "\r\n").allSatisfy { $0.count <= 40 }, "\(text)")
  }

  @Test func `locate shows on a terminal that it is waiting`() throws {
    let locate = try onTerminal("locate --timeout 1s --maximum-age 0")
    #expect(try locate.waitForExit() == .status(5))
    #expect(locate.standardOutput.contains("Waiting for a location…"))
    // The line is erased before the answer.
    #expect(locate.standardOutput.contains("\r\u{1B}[Kgeopublicist: No location arrived"))
  }
}
