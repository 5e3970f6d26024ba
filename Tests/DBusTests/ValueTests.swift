// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import DBus

@Suite struct ValueTests {
  static let samples: [Value] = [
    .byte(0), .byte(255), .boolean(true), .boolean(false), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max),
    .int64(.min), .uint64(.max), .double(-0.0), .double(.infinity), .double(.leastNonzeroMagnitude), .double(1e308),
    .string(""), .string("Grüße, 地球 🌍"), .string(String(repeating: "x", count: 100_000)),
    .objectPath("/"), .objectPath("/a/b"), .signature(""), .signature("a{sv}"), .signature("(ii)as"),
    .variant(.string("in")), .variant(.variant(.variant(.uint32(3)))), .structure([.string("a")]),
    .structure([.int32(1), .structure([.double(2), .string("x")])]),
    .array("s", []), .bytes([]), .bytes(Array(0...255)), .strings(["a", "", "c"]),
    .array("as", [.strings([]), .strings(["x"])]), .array("(ss)", [.structure([.string("a"), .string("b")])]),
    .array("v", [.variant(.uint32(1)), .variant(.string("s"))]),
    .array("a{sv}", [.options([]), .options([("k", .byte(1))])]),
    .options([]), .options([("b", .boolean(true)), ("a", .array("d", [.double(1.5)]))]),
    .dictionary(key: "u", value: "(oo)", [.init(.uint32(7), .structure([.objectPath("/"), .objectPath("/x")]))]),
    .dictionary(key: "s", value: "a{sv}", [.init(.string("i"), .options([("x", .int64(-1))]))]),
    .dictionary(key: "o", value: "u", []), .dictionary(key: "d", value: "y", [.init(.double(1), .byte(1))]),
    .dictionary(key: "g", value: "b", [.init(.signature("s"), .boolean(true))]),
  ]

  @Test func `every value is written to a message and read back unchanged`() throws {
    let message = Message(signal: "S", of: "a.b", at: "/")
    // A signature has at most 255 characters, so they are sent in several messages.
    for value in Self.samples {
      let message = Message(signal: "S", of: "a.b", at: "/", [value, .byte(1), value])
      #expect(message.signature == value.signature + "y" + value.signature)
      #expect(try message.arguments() == [value, .byte(1), value])
    }
    #expect(try message.arguments() == [])
  }

  @Test func `every value is sent over a bus unchanged`() throws {
    let (peers, _) = try Peers.withSample()
    for value in Self.samples { #expect(try peers.call("Echo", .variant(value)) == [.variant(value)]) }
  }

  @Test func `literals have the D-Bus types that other libraries also choose`() {
    #expect(([1, 1.5, "a", true] as [Value]).map(\.signature) == ["i", "d", "s", "b"])
    #expect(["a": 1] as Value == .options([("a", .int32(1))]))
  }

  @Test func `NaN is written to a message and read back as NaN`() throws {
    let message = Message(signal: "S", of: "a.b", at: "/", [.double(.nan)])
    #expect(try message.arguments().first?.double?.isNaN == true)
  }

  @Test func `the most deeply nested values that the writer accepts can be sent over a bus`() throws {
    let (peers, _) = try Peers.withSample()
    var variants = Value.byte(1)
    for _ in 0..<30 { variants = .variant(variants) }
    #expect(try peers.call("Echo", variants) == [variants])
    var arrays = Value.bytes([1])
    for _ in 0..<29 { arrays = .array(Signature(unchecked: arrays.signature), [arrays]) }
    #expect(try peers.call("Echo", .variant(arrays)) == [.variant(arrays)])
    var options = Value.options([])
    for _ in 0..<14 { options = .options([("k", options)]) }
    #expect(try peers.call("Echo", .variant(options)) == [.variant(options)])
    #expect(peers.service.isConnected && peers.client.isConnected)
  }

  @Test func `typed properties are nil for a value of another type`() {
    #expect(Value.uint32(1).uint32 == 1 && Value.int32(1).uint32 == nil)
    #expect(Value.boolean(true).boolean == true && Value.byte(1).boolean == nil)
    #expect(Value.int32(-1).int32 == -1 && Value.uint64(1).uint64 == 1 && Value.double(1).double == 1)
    #expect(Value.string("s").string == "s" && Value.objectPath("/").string == nil)
    #expect(Value.objectPath("/").objectPath == .root && Value.structure([.byte(1)]).structure == [.byte(1)])
    #expect(Value.strings(["a"]).array == [.string("a")] && Value.options([]).array == nil)
    #expect(Value.variant(.variant(.byte(1))).unwrapped == .byte(1) && Value.byte(1).unwrapped == .byte(1))
    #expect(Value.strings([]).options == nil && Value.strings([]).properties == nil)
  }

  @Test func `the last value of a repeated key is used`() {
    let twice = Value.options([("k", .byte(1)), ("k", .byte(2))])
    #expect(twice.properties == ["k": .byte(2)])
    #expect(twice.options?.map(\.name) == ["k", "k"])
  }
}
