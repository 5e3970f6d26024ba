// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import DBus

@Suite struct ReadBudgetTests {
  private func message(_ values: [Value]) -> Message { Message(signal: "S", of: "a.b", at: "/", values) }

  @Test func `the computed size of a message equals its marshalled size`() throws {
    for values in ValueTests.samples.flatMap({ [[$0], [.byte(1), $0], [$0, $0, .byte(1)]] }) {
      let message = message(values)
      #expect(message.byteCount(upTo: .max) == message.marshalledByteCount)
      #expect(message.byteCount(upTo: message.marshalledByteCount) != nil)
      #expect(message.byteCount(upTo: message.marshalledByteCount - 1) == nil)
      #expect(message.byteCount(upTo: 0) == nil)
    }
  }

  @Test func `a message with more bytes than the budget allows is refused`() throws {
    let text = message([.variant(.string(String(repeating: "x", count: 200)))])
    #expect(throws: Never.self) { try text.arguments(within: ReadBudget(bytes: 208, values: 2)) }
    let error = #expect(throws: DBusError.self) { try text.arguments(within: ReadBudget(bytes: 207, values: 2)) }
    #expect(error?.name == .limitsExceeded)
    let bytes = message([.bytes(Array(repeating: 7, count: 300))])
    #expect(throws: DBusError.self) { try bytes.arguments(within: .smallAnswer) }
    #expect(try bytes.arguments(within: ReadBudget(bytes: 304, values: 1)) == [.bytes(Array(repeating: 7, count: 300))])
  }

  @Test func `a message with more values than the budget allows is refused`() throws {
    let flags = message([.array("b", Array(repeating: .boolean(true), count: 10))])
    #expect(throws: DBusError.self) { try flags.arguments(within: ReadBudget(bytes: 1_000, values: 10)) }
    #expect(throws: Never.self) { try flags.arguments(within: ReadBudget(bytes: 1_000, values: 11)) }
    var nested = Value.byte(1)
    for _ in 0..<20 { nested = .variant(nested) }
    #expect(throws: DBusError.self) { try message([nested]).arguments(within: .smallAnswer) }
  }

  @Test func `with a budget of zero no argument is read`() throws {
    #expect(try message([]).arguments(within: ReadBudget(bytes: 0, values: 0)) == [])
    for value in ValueTests.samples {
      #expect(throws: DBusError.self) { try message([value]).arguments(within: ReadBudget(bytes: 0, values: 1_000)) }
      #expect(throws: DBusError.self) {
        try message([value]).arguments(within: ReadBudget(bytes: 1_000_000, values: 0))
      }
    }
  }

  @Test func `only the beginning of a long error message is read`() throws {
    let text = String(repeating: "é", count: 1_000_000)
    let error = Message(errorTo: 7, from: ":1.1", DBusError(.failed, text)).error
    #expect(error?.message == String(repeating: "é", count: 512))
  }
}
