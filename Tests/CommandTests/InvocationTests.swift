// SPDX-License-Identifier: Apache-2.0
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

  @Test func `an invocation is not retained by its output`() throws {
    let invocation = try followed()
    #expect(invocation() == nil)
  }

  @Test func `the help of every command has examples`() {
    let withoutExamples = Geopublicist.commands.filter { $0.examples.isEmpty }.map { $0.name }
    #expect(withoutExamples.isEmpty)
  }

  @Test(arguments: [
    (["--force", "walk.gpx"], "--append and --force exclude each other"),
    (["walk.svg"], "--append cannot continue a picture or standard output"),
    (["--format", "nmea", "-"], "--append cannot continue a picture or standard output"),
  ]) func `a recording that cannot be continued is refused with its reason`(arguments: [String], reason: String) {
    let error = #expect(throws: UsageError.self) {
      _ = try RecordCommand(Invocation(of: RecordCommand.self, ["--append"] + arguments))
    }
    #expect(error?.message == reason)
  }
}
