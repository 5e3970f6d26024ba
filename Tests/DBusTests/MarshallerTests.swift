import GeopublicistCDBus
import Testing

@testable import DBus

/// What this package marshals itself is what libdbus makes of the same values, byte for byte.
@Suite struct MarshallerTests {
  private func ours(_ values: [Value]) -> [UInt8] {
    var marshaller = Marshaller()
    for value in values { marshaller.write(value) }
    return marshaller.bytes
  }

  nonisolated private static let values: [Value] = [
    .byte(255), .boolean(true), .boolean(false), .int16(-2), .uint16(0xABCD), .int32(.min), .uint32(.max), .int64(.min),
    .uint64(.max), .double(-0.0), .double(.nan), .string(""), .string("äöü€𝄞"), .objectPath("/"), .objectPath("/a/b"),
    .signature(""), .signature("a{sv}(tt)"), .variant(.variant(.int16(1))),
    .structure([.byte(1), .uint64(2), .byte(3)]),
    .bytes([]), .array("t", []), .array("(yx)", []), .bytes([1, 2, 3]),
    .array("t", [.uint64(1)]),
    .array("(yx)", [.structure([.byte(1), .int64(-1)]), .structure([.byte(2), .int64(-2)])]),
    .array("as", [.strings([]), .strings(["a", "bc"])]), .options([]),
    .options([("Latitude", .double(52.5)), ("Timestamp", .structure([.uint64(1), .uint64(2)])), ("x", .byte(0))]),
    .dictionary(key: "y", value: "n", [.init(.byte(1), .int16(2)), .init(.byte(3), .int16(4))]),
  ]

  /// Each value also behind up to seven bytes, so that it has to be aligned.
  @Test(arguments: values, 0..<8)
  func theBytesAreThoseOfLibdbus(value: Value, before: Int) throws {
    let arguments = Array(repeating: Value.byte(0xEE), count: before) + [value, .byte(0xFF)]
    let message = try Message(signal: "S", of: "a.b", at: "/", arguments)
    #expect(ours(arguments) == (try #require(message.bodyOnWire)))
  }

  @Test func whatDBusCannotCarryMakesNoTemplate() {
    #expect(throws: DBusError.self) { try SignalTemplate("S", of: "a.b", [.string("a\0b")]) }
    #expect(throws: DBusError.self) { try SignalTemplate("S", of: "a.b", [.structure([])]) }
    #expect(throws: DBusError.self) { try SignalTemplate("S", of: "a.b", [.array("s", [.byte(1)])]) }
  }
}

extension Message {
  /// What libdbus sends after the header.
  fileprivate var bodyOnWire: [UInt8]? {
    var bytes: UnsafeMutablePointer<CChar>?
    var count: Int32 = 0
    guard dbus_message_marshal(raw, &bytes, &count) != 0, let bytes else { return nil }
    defer { dbus_free(bytes) }
    let all = UnsafeRawBufferPointer(start: bytes, count: Int(count))
    return Array(all.suffix(Int(all.loadUnaligned(fromByteOffset: 4, as: UInt32.self))))
  }
}
