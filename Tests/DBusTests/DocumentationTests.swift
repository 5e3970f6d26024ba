// SPDX-License-Identifier: Apache-2.0
import DBus
import Foundation
import GeopublicistTestSupport
import MainLoop
import Testing

/// The examples of the documentation, which must compile.
private enum Examples {
  final class Counter { var count: UInt32 = 0 }

  static func askTheBus() throws {
    let connection = try Connection(to: .session)
    connection.call(Message(callingBus: "ListNames"), expecting: "as") { result in
      print((try? result.get())?.first?.array?.count ?? 0, "names")
    }.keep()
    MainLoop.main.run()
  }

  static func export(on connection: Connection) throws {
    let interface = Interface<Counter>(
      "org.example.Counter",
      [
        .method("Increase", in: ["by": "u"], out: ["count": "u"]) { counter, call in
          counter.count &+= call.arguments[0].uint32 ?? 0
          call.reply(.uint32(counter.count))
        },
        .property("Count", "u", emits: .changed) { .uint32($0.count) },
      ])
    let counter = Counter()
    connection.objects.export("/org/example/Counter", Implementation(of: interface, by: counter))
    try connection.own("org.example.Counter")
  }

  static func speakToAService() throws {
    let hostname = Proxy(
      on: try Connection(to: .system), destination: "org.freedesktop.hostname1", path: "/org/freedesktop/hostname1",
      interface: "org.freedesktop.hostname1")
    hostname.get("Chassis") { result in print((try? result.get())?.string ?? "unknown") }
    hostname.call("GetProductUUID", .boolean(false), expecting: "ay") { result in print(result) }
  }

  static func wait() {
    MainLoop.main.after(.milliseconds(500)) { print("half a second later") }.keep()
  }

  static func keepTokens(of connection: Connection) throws {
    connection.call(Message(callingBus: "GetId"), expecting: .string) { result in print(result) }.keep()
    NameWatch("org.freedesktop.GeoClue2", on: connection) { owner in print(owner == nil ? "gone" : "there") }.keep()
    connection.onSignal(.nameVanished) { signal in print("\(signal.arguments) vanished") }.keep()
  }
}

@Suite struct DocumentationTests {
  /// The lines of text without indentation and without empty ones.
  private func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  @Test func `the examples in the documentation of DBus are compiled`() throws {
    let compiled = lines(try String(contentsOfFile: #filePath, encoding: .utf8))
    let sources = Rig.sourceFile("Sources")
    let names = try ["DBus", "MainLoop"].flatMap { module in
      try FileManager.default.subpathsOfDirectory(atPath: "\(sources)/\(module)").map { "\(module)/\($0)" }
    }
    var count = 0
    for name in names where name.hasSuffix(".swift") {
      let text = try String(contentsOfFile: "\(sources)/\(name)", encoding: .utf8)
      let parts = text.components(separatedBy: "/// ```")
      for part in parts.dropFirst() where part.hasPrefix("swift\n") {
        let example = lines(part.dropFirst(6)).map {
          String($0.drop { $0 == "/" }).trimmingCharacters(in: .whitespaces)
        }.filter { !$0.isEmpty }
        count += 1
        let isThere = compiled.indices.contains { compiled[$0...].starts(with: example) }
        #expect(isThere, "\(name): \(example.joined(separator: "\n"))")
      }
    }
    #expect(count >= 7)
  }
}
