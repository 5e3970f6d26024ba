// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import DBus

/// Messages for which libdbus would abort the process or a bus would end the connection.
@Suite struct MessageWriterTests {
  nonisolated private static let mixed: [Value] = [
    .array("s", [.string("a"), .byte(1)]), .array("s", [.objectPath("/")]), .array("", []), .array("ss", []),
    .array("as", [.array("u", [])]), .array("v", [.string("bare")]),
    .dictionary(key: "v", value: "s", []), .dictionary(key: "", value: "s", []), .dictionary(key: "s", value: "", []),
    .dictionary(key: "as", value: "s", []), .dictionary(key: "ss", value: "s", []),
    .dictionary(key: "s", value: "ss", []),
    .dictionary(key: "s", value: "s", [.init(.byte(1), .string("x"))]),
    .dictionary(key: "s", value: "s", [.init(.string("x"), .byte(1))]),
  ]

  private func refusal(of values: Value...) -> ErrorName? {
    Message(signal: "S", of: "a.b", at: "/", values).refusal?.name
  }

  @Test(arguments: ["\0", "a\0", "\0a", "a\0b"])
  func `a string with an embedded NUL is refused`(text: String) {
    #expect(refusal(of: .string(text)) == .invalidArgs)
    #expect(refusal(of: .variant(.string(text))) == .invalidArgs)
    #expect(refusal(of: .options([("k", .string(text))])) == .invalidArgs)
    #expect(refusal(of: .options([(text, .byte(1))])) == .invalidArgs)
    #expect(refusal(of: .structure([.byte(1), .strings(["ok", text])])) == .invalidArgs)
  }

  @Test(arguments: mixed)
  func `an array whose elements do not have its element type is refused`(value: Value) {
    #expect(refusal(of: value) == .invalidArgs)
    #expect(refusal(of: .variant(value)) == .invalidArgs)
  }

  @Test func `an empty structure is refused`() {
    #expect(refusal(of: .structure([])) == .invalidArgs)
    #expect(refusal(of: .variant(.structure([]))) == .invalidArgs)
    #expect(refusal(of: .array("s", [.structure([])])) == .invalidArgs)
  }

  @Test func `a value that is nested too deeply is refused`() {
    var variants = Value.byte(1)
    var structures = Value.byte(1)
    for _ in 0..<31 {
      variants = .variant(variants)
      structures = .structure([structures])
    }
    #expect(refusal(of: variants) == nil)
    #expect(refusal(of: structures) == nil)
    #expect(refusal(of: .variant(variants)) == .invalidArgs)
    #expect(refusal(of: .structure([structures])) == .invalidArgs)
    for _ in 0..<10_000 { variants = .variant(variants) }
    #expect(refusal(of: variants) == .invalidArgs)
  }

  /// Regression: libdbus wrote more types than a header can carry, and aborted at a variant with more.
  @Test func `a signature that is too long is refused`() throws {
    let many = Array(repeating: Value.byte(1), count: 256)
    #expect(Message(signal: "S", of: "a.b", at: "/", many).refusal != nil)
    #expect(refusal(of: .variant(.structure(many))) == .invalidArgs)
    #expect(refusal(of: .structure(many)) == .invalidArgs)
    let message = Message(signal: "S", of: "a.b", at: "/", Array(many.dropLast()))
    #expect(throws: DBusError.self) { try message.append([.byte(1)]) }
    #expect(try message.arguments().count == 255, "the earlier arguments are unchanged")
    let long = Signature(unchecked: "(" + String(repeating: "y", count: 253) + ")")
    #expect(refusal(of: .array(long, [])) == .invalidArgs)
    #expect(refusal(of: .variant(.array(long, []))) == .invalidArgs)
    #expect(refusal(of: .dictionary(key: "s", value: long, [])) == .invalidArgs)
  }

  /// The bus disconnects clients that send too much.
  @Test func `a message that is too large is refused`() {
    let text = Value.string(String(repeating: "x", count: 9 * 1024 * 1024))
    #expect(refusal(of: text) == nil)
    #expect(refusal(of: text, text) == .limitsExceeded)
    #expect(refusal(of: .array("s", [text, text])) == .limitsExceeded)
  }

  /// libdbus aborts if a message is changed after it was sent.
  @Test func `a message that was sent cannot be changed`() throws {
    let peers = try Peers()
    let message = Message(signal: "S", of: "a.b", at: "/", [.byte(1)])
    peers.service.send(message)
    #expect(throws: DBusError.self) { try message.append([.byte(2)]) }
    message.wantsReply = false
    message.startsService = false
    message.allowsInteractiveAuthorization = true
    #expect(message.wantsReply == false && !message.allowsInteractiveAuthorization)
    #expect(try message.arguments() == [.byte(1)])
  }

  @Test func `an error's text is cut at an embedded NUL`() throws {
    let error = Message(errorTo: 1, from: ":1.1", DBusError(.failed, "before\0after"))
    #expect(error.error == DBusError(.failed, "before"))
  }

  @Test func `each signal made from a template has its own path and destination`() throws {
    let template = try SignalTemplate("S", of: "a.b", [.string("body")])
    let first = template.signal(at: "/other", to: ":1.5")
    let second = template.signal(at: "/another/one", to: ":1.66")
    #expect(first.path == "/other" && first.destination == ":1.5" && first.member == "S" && first.interface == "a.b")
    #expect(second.path == "/another/one" && second.destination == ":1.66")
    for signal in [first, second] {
      #expect(signal.kind == .signal && !signal.wantsReply)
      #expect(try signal.arguments() == [.string("body")])
    }
  }

  @Test func `a template with invalid arguments is refused`() {
    #expect(throws: DBusError.self) { try SignalTemplate("S", of: "a.b", [.string("before\0after")]) }
    #expect(throws: DBusError.self) { try SignalTemplate("S", of: "a.b", [.structure([])]) }
    #expect(throws: DBusError.self) { try SignalTemplate("S", of: "a.b", [.array("s", [.byte(1)])]) }
  }
}
