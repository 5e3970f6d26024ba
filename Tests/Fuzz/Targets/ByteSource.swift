// SPDX-License-Identifier: Apache-2.0
import DBus

/// Turns bytes into a series of decisions. Once they are used up, every further decision is the first choice.
final class ByteSource {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isEmpty: Bool { rest.isEmpty }

  func byte() -> UInt8 { rest.popFirst() ?? 0 }

  func flag() -> Bool { byte() & 1 == 1 }

  /// Returns a number from 0 to `limit - 1`, at most 255.
  func number(below limit: Int) -> Int { limit > 0 ? Int(byte()) % limit : 0 }

  func pick<Element>(_ choices: [Element]) -> Element { choices[number(below: choices.count)] }

  func integer<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number {
    // Half of the numbers are small.
    guard flag() else { return Number(truncatingIfNeeded: byte()) }
    return (0..<MemoryLayout<Number>.size).reduce(0) { number, _ in number &<< 8 | Number(truncatingIfNeeded: byte()) }
  }

  func double() -> Double {
    switch byte() % 4 {
    case 0: Double(Int8(truncatingIfNeeded: Int(byte())))
    case 1: Double(integer(Int32.self)) / 1000
    case 2: pick([.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, -0.0, 5e-324])
    default: Double(bitPattern: integer())
    }
  }

  /// Returns a text of at most 255 bytes. Invalid UTF-8 becomes replacement characters.
  func text() -> String { String(decoding: bytes(number(below: 256)), as: UTF8.self) }

  func bytes(_ count: Int) -> [UInt8] {
    let taken = rest.prefix(count)
    rest = rest.dropFirst(count)
    return Array(taken)
  }

  func remainder() -> [UInt8] { bytes(rest.count) }

  /// Returns any D-Bus value.
  func value(depth: Int = 0) -> Value {
    switch number(below: depth > 4 ? 12 : 16) {
    case 0: return .string(text())
    case 1: return .uint32(integer())
    case 2: return .double(double())
    case 3: return .boolean(flag())
    case 4: return .byte(byte())
    case 5: return .int16(integer())
    case 6: return .uint16(integer())
    case 7: return .int32(integer())
    case 8: return .int64(integer())
    case 9: return .uint64(integer())
    case 10: return .objectPath(pick(["/", "/a", "/org/freedesktop/GeoClue2/Client/1"]))
    case 11: return .signature(pick(["", "a{sv}", "u"]))
    case 12: return .variant(value(depth: depth + 1))
    case 13: return .structure((0..<number(below: 4)).map { _ in value(depth: depth + 1) })
    case 14:
      let first = value(depth: depth + 1)
      if case .byte = first { return .bytes(bytes(number(below: 4))) }
      return .array(Signature(unchecked: first.signature), Array(repeating: first, count: number(below: 4)))
    default: return .options((0..<number(below: 4)).map { _ in (text(), value(depth: depth + 1)) })
    }
  }
}
