// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel

/// D-Bus values as JSON: dictionaries become objects, arrays and structures become arrays.
nonisolated enum JSONText {
  static func text(_ value: Value) -> String {
    switch value {
    case .byte(let number): "\(number)"
    case .boolean(let flag): flag ? "true" : "false"
    case .int16(let number): "\(number)"
    case .uint16(let number): "\(number)"
    case .int32(let number): "\(number)"
    case .uint32(let number): "\(number)"
    case .int64(let number): "\(number)"
    case .uint64(let number): "\(number)"
    case .double(let number): text(number)
    case .string(let string): quoted(string)
    case .objectPath(let path): quoted(path.rawValue)
    case .signature(let signature): quoted(signature.rawValue)
    case .descriptor: "null"
    case .bytes(let bytes): "[" + bytes.map { "\($0)" }.joined(separator: ",") + "]"
    case .array(_, let elements): "[" + elements.map(text).joined(separator: ",") + "]"
    case .structure(let fields): "[" + fields.map(text).joined(separator: ",") + "]"
    case .variant(let inner): text(inner)
    case .dictionary(_, _, let entries):
      "{" + entries.map { key($0.key) + ":" + text($0.value) }.joined(separator: ",") + "}"
    }
  }

  static func object(_ members: [(String, Value)]) -> String { text(.options(members)) }

  /// Returns the shortest number that reads back as the same double; JSON cannot express infinity or NaN.
  static func text(_ number: Double) -> String {
    guard number.isFinite else { return "null" }
    // Swift writes 10 as 10.0; beyond 2^53 a double no longer distinguishes neighbouring integers.
    return number == number.rounded() && abs(number) <= 9_007_199_254_740_992 ? "\(Int64(number))" : "\(number)"
  }

  /// Returns the contract's dictionary of a location, with its time in ISO 8601.
  static func location(_ reading: ServiceLocation) -> String {
    object((reading.value.options ?? []) + [("Time", .string(Moment.iso(reading.location.timestamp)))])
  }

  /// Returns the contract's dictionary of a region's event, with its time in ISO 8601.
  static func region(_ change: ServiceRegionEvent) -> String {
    object((change.value.options ?? []) + [("Time", .string(Moment.iso(RegionText.time(change.event))))])
  }

  static func event(_ name: String, _ members: [(String, Value)]) -> String {
    let now = Moment.now
    let time = Value.structure([.uint64(now.seconds), .uint64(now.microseconds)])
    return object([("Event", .string(name)), ("Timestamp", time)] + members)
  }

  static func quoted(_ string: String) -> String {
    var quoted = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _ where scalar.isPrintable: quoted.unicodeScalars.append(scalar)
      // JSON requires only those below U+0020; others could control a terminal or end a line for some readers.
      default:
        for unit in String(scalar).utf16 {
          let hexadecimal = String(unit, radix: 16)
          quoted += "\\u" + String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
        }
      }
    }
    return quoted + "\""
  }

  private static func key(_ value: Value) -> String { value.string.map(quoted) ?? quoted(text(value)) }
}
