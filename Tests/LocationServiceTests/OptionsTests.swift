import DBus
import GeopublicistLocationModel
import Testing

@testable import GeopublicistService

@Suite("Options")
struct OptionsTests {
  @Test("nothing given means the contract's defaults")
  func defaults() throws {
    let request = try RequestOptions(.options([]))
    #expect(request.accuracy == .exact)
    #expect(request.timeout == 20_000)
    #expect(request.maximumAge == 30_000)
    let subscription = try SubscriptionOptions(.options([]))
    #expect(subscription.distanceThreshold == 0)
    #expect(subscription.maximumUpdates == 0)
    #expect(subscription.desktopID == "")
  }

  @Test("everything given is taken")
  func allOptions() throws {
    let options = try SubscriptionOptions(
      .options([
        ("accuracy", .string("street")), ("distance-threshold", .double(12.5)), ("time-threshold", .uint32(1)),
        ("debounce", .uint32(2)), ("max-updates", .uint32(3)), ("duration", .uint32(.max)),
        ("desktop-id", .string("org.example.Maps")),
      ]))
    #expect(options.accuracy == .street)
    #expect(options.distanceThreshold == 12.5)
    #expect(options.timeThreshold == 1)
    #expect(options.debounce == 2)
    #expect(options.maximumUpdates == 3)
    #expect(options.duration == .max)
    #expect(options.desktopID == "org.example.Maps")
  }

  nonisolated static let wrong: [(String, [(String, Value)])] = [
    ("unknown key", [("acuracy", .string("exact"))]),
    ("wrong type", [("accuracy", .uint32(8))]),
    ("a variant in the variant", [("accuracy", .variant(.string("exact")))]),
    ("unknown level", [("accuracy", .string("none"))]),
    ("a level in capitals", [("accuracy", .string("EXACT"))]),
    ("negative distance", [("distance-threshold", .double(-1))]),
    ("distance that is no number", [("distance-threshold", .double(.nan))]),
    ("infinite distance", [("distance-threshold", .double(.infinity))]),
    ("an integer for a distance", [("distance-threshold", .uint32(1))]),
    ("a signed number", [("time-threshold", .int32(1))]),
    ("long text", [("desktop-id", .string(String(repeating: "x", count: 256)))]),
    ("control characters", [("desktop-id", .string("a\nb"))]),
    ("the same key twice", [("debounce", .uint32(1)), ("debounce", .uint32(1))]),
  ]

  @Test("what is wrong is InvalidOption, never ignored", arguments: wrong)
  func refused(_ name: String, _ options: [(String, Value)]) throws {
    let error = #expect(throws: DBusError.self) { try SubscriptionOptions(.options(options)) }
    #expect(error?.name == .invalidOption)
    #expect(error?.message.isEmpty == false)
  }

  @Test("a timeout beyond two minutes is refused")
  func longTimeout() throws {
    #expect(throws: DBusError.self) { try RequestOptions(.options([("timeout", .uint32(120_001))])) }
    #expect(try RequestOptions(.options([("timeout", .uint32(120_000))])).timeout == 120_000)
  }

  @Test("an option of another method is unknown here")
  func otherMethodsOption() throws {
    #expect(throws: DBusError.self) { try AuthorizationOptions(.options([("timeout", .uint32(1))])) }
    #expect(throws: DBusError.self) { try SubscriptionOptions(.options([("maximum-age", .uint32(1))])) }
  }

  @Test("more than 32 keys are refused before they are looked at")
  func manyKeys() throws {
    let many = (0..<33).map { ("key\($0)", Value.uint32(0)) }
    let error = #expect(throws: DBusError.self) { try RequestOptions(.options(many)) }
    #expect(error?.message.contains("32") == true)
  }

  @Test("a key with control characters is not repeated in the message")
  func hostileKey() throws {
    let error = #expect(throws: DBusError.self) { try RequestOptions(.options([("\u{1b}[31m", .uint32(0))])) }
    #expect(error?.message.unicodeScalars.contains("\u{1b}") == false)
  }

  @Test("a dictionary of other types is no options")
  func otherDictionary() throws {
    let value = Value.dictionary(key: "s", value: "s", [.init(.string("accuracy"), .string("exact"))])
    #expect(throws: DBusError.self) { try RequestOptions(value) }
  }
}
