// SPDX-License-Identifier: Apache-2.0
import DBus
import Foundation
import GeopublicistLocationModel
import GeopublicistProcessSupport
import GeopublicistTestSupport
import Testing

@testable import GeopublicistService

@Suite struct OptionsTests {
  private func subscription(_ pairs: [(String, Value)]) throws -> ClientOptions {
    try OptionReader.read(.options(pairs), ClientOption.ofSubscription)
  }

  private func request(_ pairs: [(String, Value)]) throws -> ClientOptions {
    try OptionReader.read(.options(pairs), ClientOption.ofRequest)
  }

  @Test func `options that are absent have the documented defaults`() throws {
    let request = try request([])
    #expect(
      request.accuracy == .exact && request.timeout == .milliseconds(20_000)
        && request.maximumAge == .milliseconds(30_000))
    let subscription = try subscription([])
    #expect(subscription.distanceThreshold == 0 && subscription.maximumUpdates == 0 && subscription.desktopID == "")
  }

  @Test func `all options are read`() throws {
    let options = try subscription([
      ("accuracy", .string("street")), ("distance-threshold", .double(12.5)), ("time-threshold", .uint32(1)),
      ("debounce", .uint32(2)), ("max-updates", .uint32(3)), ("duration", .uint32(.max)),
      ("desktop-id", .string("org.example.Maps")), ("required-accuracy", .int32(100)), ("mode", .string("significant")),
    ])
    #expect(options.accuracy == .street && options.desktopID == "org.example.Maps")
    #expect(
      options.distanceThreshold == 12.5 && options.timeThreshold == .milliseconds(1)
        && options.debounce == .milliseconds(2))
    #expect(options.maximumUpdates == 3 && options.duration == .milliseconds(UInt32.max))
    #expect(options.requiredAccuracy == 100 && options.mode == .significant)
    let call = try request([
      ("required-accuracy", .double(50)), ("best-effort", .boolean(true)), ("timeout", .uint32(120_000)),
    ])
    #expect(call.requiredAccuracy == 50 && call.isBestEffort && call.timeout == .milliseconds(120_000))
    #expect(throws: DBusError.self) { try request([("best-effort", .uint32(1))]) }
  }

  nonisolated static let numbers: [Value] = [
    .byte(10), .int16(10), .uint16(10), .int32(10), .uint32(10), .int64(10), .uint64(10), .double(10),
  ]

  @Test(arguments: numbers) func `a numeric option accepts every numeric type`(number: Value) throws {
    let options = try subscription([("distance-threshold", number), ("time-threshold", number), ("debounce", number)])
    #expect(options.distanceThreshold == 10)
    #expect(options.timeThreshold == .milliseconds(10))
    #expect(options.debounce == .milliseconds(10))
  }

  nonisolated static let wrong: [(String, [(String, Value)])] = [
    ("an unknown key", [("acuracy", .string("exact"))]),
    ("a number instead of a level", [("accuracy", .uint32(8))]),
    ("a variant in the variant", [("accuracy", .variant(.string("exact")))]),
    ("an unknown level", [("accuracy", .string("none"))]),
    ("a level in capitals", [("accuracy", .string("EXACT"))]),
    ("a negative distance", [("distance-threshold", .double(-1))]),
    ("a distance that is NaN", [("distance-threshold", .double(.nan))]),
    ("an infinite distance", [("distance-threshold", .double(.infinity))]),
    ("a negative integer", [("time-threshold", .int32(-1))]),
    ("a fraction instead of a whole number", [("time-threshold", .double(1.5))]),
    ("a number beyond the range", [("time-threshold", .uint64(4_294_967_296))]),
    ("a number that a double cannot represent", [("distance-threshold", .uint64((1 << 53) + 1))]),
    ("a Boolean instead of a number", [("debounce", .boolean(true))]),
    ("an unknown mode", [("mode", .string("sometimes"))]),
    ("text instead of a number", [("debounce", .string("1"))]),
    ("long text", [("desktop-id", .string(String(repeating: "x", count: 256)))]),
    ("control characters", [("desktop-id", .string("a\nb"))]),
    ("a format character", [("desktop-id", .string("a\u{202E}b"))]),
    ("a line separator", [("desktop-id", .string("a\u{2028}b"))]),
    ("the same key twice", [("debounce", .uint32(1)), ("debounce", .uint32(1))]),
  ]

  @Test(arguments: wrong)
  func `an invalid option causes the error InvalidOption`(_ name: String, _ options: [(String, Value)]) throws {
    let error = #expect(throws: DBusError.self) { try subscription(options) }
    #expect(error?.name == .invalidOption)
    #expect(error?.message.isEmpty == false)
  }

  @Test func `the error for an invalid option names its key, type and range`() throws {
    let error = #expect(throws: DBusError.self) { try request([("timeout", .uint32(120_001))]) }
    #expect(error?.message == "Option timeout (type u) must be a whole number of milliseconds from 0 to 120000")
  }

  @Test func `an option that belongs to another method is refused`() throws {
    #expect(throws: DBusError.self) {
      try OptionReader.read(.options([("timeout", .uint32(1))]), ClientOption.ofAuthorization)
    }
    #expect(throws: DBusError.self) { try subscription([("maximum-age", .uint32(1))]) }
  }

  @Test func `more than 32 options are refused before any is read`() throws {
    let error = #expect(throws: DBusError.self) { try request((0..<33).map { ("key\($0)", Value.uint32(0)) }) }
    #expect(error?.message.contains("32") == true)
  }

  @Test(arguments: ["\u{1b}[31m", "\u{202E}gpj", "\u{2028}"])
  func `the error for an unprintable key does not repeat the key`(key: String) throws {
    let error = #expect(throws: DBusError.self) { try request([(key, .uint32(0))]) }
    #expect(error?.message.contains(key) == false)
  }

  @Test func `a dictionary whose values are not variants is refused`() throws {
    let value = Value.dictionary(key: "s", value: "s", [.init(.string("accuracy"), .string("exact"))])
    #expect(throws: DBusError.self) { try OptionReader.read(value, ClientOption.ofRequest) }
  }

  @Test func `each property has the type of its option`() throws {
    var options = ClientOptions()
    options.timeThreshold = .milliseconds(7)
    options.distanceThreshold = 2
    let values = ClientOption.ofSubscription.filter { $0.property != nil }.map {
      Value($0.value(in: options), as: $0.type)
    }
    #expect(values == [.string("exact"), .double(2), .uint32(7), .uint32(0), .double(0)])
  }
}

@Suite("Configuration files")
struct ConfigurationTests {
  private func load(_ text: String) throws -> Configuration {
    let path = FileManager.default.temporaryDirectory.appending(path: "geopublicist-\(UUID()).conf").path()
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try Configuration.load(file: path)
  }

  @Test func `settings in the configuration file replace the defaults`() throws {
    let configuration = try load("# a comment\n[Service]\nidle-timeout=0\n[Limits]\ncalls-burst=7\n")
    #expect(configuration.idleTimeout == 0)
    #expect(configuration.limits[.callsBurst] == 7)
    #expect(configuration.limits[.callsPerSecond] == 50)
    #expect(try load("").idleTimeout == 60)
    // Regression: a blank at the end of a line made the whole configuration invalid.
    let blank = try load("[Service]\nidle-timeout=0 \nremember = false\t\n[Limits]\ncalls-burst=7 \n")
    #expect(blank.idleTimeout == 0 && !blank.remembers && blank.limits[.callsBurst] == 7)
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
  func `the error for an invalid setting names its file, group and key`(_ text: String, _ parts: [String]) throws {
    let error = #expect(throws: KeyFile.FileError.self) { try load(text) }
    let message = error.map { "\($0)" } ?? ""
    #expect(message.contains(".conf: "))
    for part in parts { #expect(message.contains(part)) }
  }

  @Test func `a configuration file that was named but does not exist is an error`() {
    #expect(throws: KeyFile.FileError.self) { try Configuration.load(file: "/nonexistent/geopublicist.conf") }
  }

  @Test func `all mistakes in a configuration file are reported together`() throws {
    let error = try #require(throws: KeyFile.FileError.self) {
      try load("[Servce]\nx=1\n[Service]\nidle-timeout=-1\n[Limits]\ncalls-burst=0\nregions=7\nregion=7\n")
    }
    #expect(error.mistakes.count == 4)
    for (mistake, part) in zip(error.mistakes, ["[Servce]", "idle-timeout", "calls-burst", "region: unknown key"]) {
      #expect(mistake.contains(part), "\(mistake)")
    }
  }
}
