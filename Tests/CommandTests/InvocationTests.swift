// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Testing

@testable import geopublicist

@Suite struct InvocationTests {
  private func followed() throws -> () -> Invocation? {
    let invocation = try Invocation(of: StatusCommand.self, [])
    invocation.followOutput()
    #expect(invocation.output.onEnd != nil)
    return { [weak invocation] in invocation }
  }

  @Test func `an invocation is released although its output refers to it`() throws {
    let invocation = try followed()
    #expect(invocation() == nil)
  }

  @Test(arguments: [
    (["-i", "locate"], "locate"), (["-i", "1s", "watch"], "watch"), (["-ji", "loc"], "loc"),
    (["-n1", "-i", "2s"], nil),
  ]) func `an option before the command has a value only if it has one for that command`(
    arguments: [String], command: String?
  ) {
    #expect(Invocation.split(arguments)?.command == command)
  }

  /// Regression: with `--interactive`, the command of `--exec` went on after the program.
  @Test func `at the end, every action happens, the last one first`() {
    let output = StandardOutput()
    var order: [Int] = []
    for number in 1...2 { output.whenEnding { order.append(number) } }
    output.restore()
    output.restore()
    #expect(order == [2, 1])
  }

  @Test func `the help of every command has examples`() {
    let withoutExamples = Geopublicist.commands.filter { $0.examples.isEmpty }.map { $0.name }
    #expect(withoutExamples.isEmpty)
  }

  @Test(arguments: [
    (["--force", "walk.gpx"], "--append and --force cannot be combined"),
    (["walk.svg"], "--append cannot continue a picture or standard output"),
    (["--format", "nmea", "-"], "--append cannot continue a picture or standard output"),
  ]) func `the error explains why a recording cannot be continued`(arguments: [String], reason: String) {
    let error = #expect(throws: UsageError.self) {
      _ = try RecordCommand(Invocation(of: RecordCommand.self, ["--append"] + arguments))
    }
    #expect(error?.message == reason)
  }
}

/// The messages of `--interactive` after a dialog that did not grant access.
@Suite struct InteractiveTests {
  private func said(_ reason: AuthorizationReason, after seconds: Int64?, onTerminal: Bool = false) -> String? {
    AuthorizationPrompt.explanation(of: reason, afterSeconds: seconds, onTerminal: onTerminal)
  }

  @Test func `the message distinguishes an unanswered dialog from one that was never shown`() {
    #expect(said(.authorizationRequired, after: 119) == "The dialog was not answered within two minutes")
    #expect(said(.authorizationRequired, after: 0)?.contains("no polkit agent is running") == true)
  }

  @Test func `the message for a refusal on a terminal mentions a wrong password`() {
    #expect(said(.rejectedByAgent, after: 5, onTerminal: true)?.contains("the password was wrong") == true)
    #expect(said(.rejectedByAgent, after: 5)?.contains("asked again") == true)
  }

  @Test func `without a dialog, no extra message is printed`() {
    #expect(said(.authorizationRequired, after: nil) == nil && said(.disabledByUser, after: 3) == nil)
  }
}

/// The rows of `watch` before all values have arrived.
@Suite struct WatchStateTests {
  private func text(_ change: (inout WatchState) -> Void) -> String {
    var state = WatchState()
    change(&state)
    return state.lines(for: StandardOutput(), fitting: 20).joined(separator: "\n")
  }

  @Test func `watch does not show access as allowed before it knows the authorization`() {
    #expect(!text { _ in }.contains("allowed"))
    #expect(text { _ in }.contains("asking"))
    let idle = text {
      $0.sourceChanged(["State": .string("idle"), "StateReason": .string("")])
      $0.handle(.authorization(.refused(.disabledByUser)))
    }
    #expect(idle.contains("turned off") && !idle.contains("No subscribers"))
  }
}
