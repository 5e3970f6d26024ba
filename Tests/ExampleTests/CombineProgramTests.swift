// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// Programs written for Combine, with Foundation and Dispatch, under `import Combine`.
@Suite struct CombineProgramTests {
  @Test func `a program that was written for Combine runs with Publishing`() throws {
    let directory = TemporaryDirectory()
    for (file, name) in ["one": "rose", "two": "tulip"] {
      try "{\"name\": \"\(name)\"}".write(
        toFile: directory.file("\(file).json"), atomically: true, encoding: .utf8)
    }
    let server = try ChildProcess([
      "python3", "-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", directory.path, "0",
    ])
    func address() -> String? {
      server.standardOutput.split(separator: "(").last?.split(separator: ")").first.map(String.init)
    }
    try eventually("the server has an address", within: .seconds(10)) { address()?.hasPrefix("http") == true }
    let program = try ChildProcess([Rig.product("combine-example"), address() ?? ""])
    #expect(try program.waitForExit(within: .seconds(60)) == .status(0), "\(program.standardError)")
    #expect(
      program.standardOutput == """
        place: - -, notDetermined
        place: 52.5163 13.3778, authorized, 2 changes
        stopped: denied
        statuses: ["denied", "always"] [false, true]
        form: true, 1 change
        game: ["rose and tulip", "error: statusCode"], 3 ticks
        renamed: ["Tiergarten"]

        """)
  }
}
