// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistProcessSupport
import Testing

@testable import GeopublicistService

@Suite("Configuration files")
struct ConfigurationTests {
  private func load(_ text: String) throws -> Configuration {
    let path = FileManager.default.temporaryDirectory.appending(path: "geopublicist-\(UUID()).conf").path()
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try Configuration.load(file: path)
  }

  @Test func `settings are applied, and the others keep their defaults`() throws {
    let configuration = try load("# a comment\n[Service]\nidle-timeout=0\n[Limits]\ncalls-burst=7\n")
    #expect(configuration.idleTimeout == 0)
    #expect(configuration.limits[.callsBurst] == 7)
    #expect(configuration.limits[.callsPerSecond] == 50)
    #expect(try load("").idleTimeout == 60)
  }

  nonisolated static let wrong: [(String, [String])] = [
    ("[Servce]\nidle-timeout=1\n", ["[Servce]"]),
    ("[Servce]\n", ["[Servce]"]),
    ("[Service]\nidle-time=1\n", ["[Service]", "idle-time"]),
    ("[Service]\nidle-timeout=soon\n", ["[Service]", "idle-timeout", "soon"]),
    ("[Service]\nidle-timeout=-1\n", ["[Service]", "idle-timeout", "-1"]),
    ("[Service]\nidle-timeout=4294967296\n", ["[Service]", "idle-timeout"]),
    ("[Service]\nidle-timeout=\n", ["[Service]", "idle-timeout"]),
    ("[Limits]\nsubscriptions=0\n", ["[Limits]", "subscriptions"]),
    ("idle-timeout=1\n", []),
    ("[Service\n", []),
  ]

  @Test(arguments: wrong)
  func `invalid settings are refused with file, group and key`(_ text: String, _ parts: [String]) throws {
    let error = #expect(throws: KeyFile.FileError.self) { try load(text) }
    let message = error.map { "\($0)" } ?? ""
    #expect(message.contains(".conf: "))
    for part in parts { #expect(message.contains(part)) }
  }

  @Test func `a requested file that does not exist is an error`() {
    #expect(throws: KeyFile.FileError.self) { try Configuration.load(file: "/nonexistent/geopublicist.conf") }
  }
}
