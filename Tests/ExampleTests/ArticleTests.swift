// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// The articles of the Swift documentation show parts of programs that are compiled and run here, or with the examples.
@Suite(.serialized) struct ArticleTests {
  private static nonisolated let folder = Rig.sourceFile("docs/Geopublicist.docc")
  private static nonisolated let articles =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".md") }.sorted()

  /// The lines of a text without indentation and without empty ones.
  private func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  /// The programs of `Examples` that tests run.
  private func programs() throws -> [[String]] {
    let examples = Rig.sourceFile("Examples")
    return try FileManager.default.subpathsOfDirectory(atPath: examples)
      .filter { $0.hasSuffix(".swift") && !$0.contains("/.") }
      .map { lines(try String(contentsOfFile: "\(examples)/\($0)", encoding: .utf8)) }
  }

  @Test(arguments: articles) func `every snippet of an article is part of a compiled program`(article: String) throws {
    let text = try String(contentsOfFile: "\(Self.folder)/\(article)", encoding: .utf8)
    let programs = try programs()
    let parts = text.components(separatedBy: "```")
    #expect(!parts.count.isMultiple(of: 2), "a block without an end")
    for index in stride(from: 1, to: parts.count, by: 2) where parts[index].hasPrefix("swift\n") {
      let snippet = lines(parts[index].dropFirst(6))
      let isThere = programs.contains { program in program.indices.contains { program[$0...].starts(with: snippet) } }
      #expect(isThere, "\(snippet.joined(separator: "\n"))")
    }
  }

  @Test func `the documentation of all products builds without a warning`() throws {
    let directory = TemporaryDirectory()
    let tests = (try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") as NSString)
    let modules = "\(tests.deletingLastPathComponent)/Modules"
    let result = try run([Rig.sourceFile("docs/build.sh"), modules, directory.file("docs")], within: .seconds(240))
    #expect(result.succeeded, "\(result.standardOutput)\(result.standardError)")
    #expect(!result.standardError.contains("warning"), "\(result.standardError)")
    // DocC puts symbols that a module's page leaves out into groups with these names.
    let pages = directory.file("docs/data/documentation")
    for page in try FileManager.default.contentsOfDirectory(atPath: pages) where page.hasSuffix(".json") {
      let text = try String(contentsOfFile: "\(pages)/\(page)", encoding: .utf8)
      for group in ["Classes", "Structures", "Enumerations", "Functions", "Type Aliases", "Variables", "Operators"] {
        #expect(!text.contains("\"title\":\"\(group)\""), "\(page) does not group its symbols")
      }
    }
  }

  @Test func `the example WhereAmI prints the location`() throws {
    let machine = try ExampleFixture()
    let process = try ChildProcess(
      [Rig.product("whereami-example")], environment: ["DBUS_SYSTEM_BUS_ADDRESS": machine.bus.address])
    try machine.geoclue.receiver.write(GGASentence(latitude: 52.5, longitude: 13.25), within: .seconds(20))
    #expect(try process.waitForExit(within: .seconds(20)) == .status(0))
    #expect(process.standardOutput == "52.5 13.25\n", "\(process.standardError)")
  }

  @Test func `the example WhereAmI fails before its timeout if the service is not installed`() throws {
    let bus = try PrivateBus(.system)
    let process = try ChildProcess(
      [Rig.product("whereami-example")], environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
    // The program itself waits for 20 s.
    #expect(try process.waitForExit(within: .seconds(15)) == .status(1))
    #expect(
      process.standardOutput.hasPrefix("unavailable: The location service is not installed"),
      "\(process.standardOutput)")
  }

  @Test func `the example Follow prints the location, or why there is none`() throws {
    let machine = try ExampleFixture()
    let process = try ChildProcess([Rig.product("articles-example"), "follow", machine.bus.address])
    try machine.geoclue.receiver.write(GGASentence(latitude: 52.5, longitude: 13.25), within: .seconds(20))
    #expect(try process.waitForExit(within: .seconds(20)) == .status(0))
    #expect(process.standardOutput.hasSuffix("52.5 13.25\n"), "\(process.standardError)")
    let bus = try PrivateBus(.system)
    let alone = try ChildProcess(["stdbuf", "-oL", Rig.product("articles-example"), "follow", bus.address])
    try eventually("the cause", within: .seconds(20)) { !alone.standardOutput.isEmpty }
    #expect(alone.standardOutput.hasPrefix("The location service is not installed"), "\(alone.standardOutput)")
  }

  @Test func `the examples of the article ComingFromCombine print the expected lines`() throws {
    let process = try ChildProcess([Rig.product("articles-example"), "combine"])
    #expect(try process.waitForExit(within: .seconds(20)) == .status(0), "\(process.standardError)")
    let said = process.newLines()
    #expect(Array(said.prefix(3)) == ["the session has ended", "decoded Berlin", "answer 42"])
    let log: Set = ["beat", "changed town", "find Berlin", "search Berlin", "tick"]
    #expect(Set(said.dropFirst(3)) == log && said.count == 9, "\(said)")
  }

  @Test func `the counter example can be called, and its watch continues after the service is killed`() throws {
    let bus = try PrivateBus(.session)
    let program = Rig.product("articles-example")
    var service = try ChildProcess([program, "counter", bus.address])
    try waitForOwner(of: "org.example.Counter", on: bus, by: service)
    let watcher = try ChildProcess(["stdbuf", "-oL", program, "watch", bus.address])
    try eventually("the count is 2", within: .seconds(20)) { watcher.standardOutput.hasSuffix("count 2\n") }
    func increase() throws -> String {
      let process = try ChildProcess([program, "increase", bus.address])
      _ = try process.waitForExit(within: .seconds(20))
      return process.standardOutput
    }
    #expect(try increase() == "42\n")
    try eventually("the count is 42", within: .seconds(20)) { watcher.standardOutput.hasSuffix("count 42\n") }
    service.kill()
    service = try ChildProcess([program, "counter", bus.address])
    try eventually("the count is 0", within: .seconds(20)) { watcher.standardOutput.hasSuffix("count 0\n") }
    #expect(service.exited == nil && watcher.exited == nil)
  }
}
