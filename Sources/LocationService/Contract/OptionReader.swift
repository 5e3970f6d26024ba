// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// Reads an `a{sv}` of options by the table ``ClientOption``, strictly: an unknown key, a type that does not fit, a
/// value out of range or a key that comes twice is an error, never ignored.
nonisolated enum OptionReader {
  static let maximumKeys = 32

  /// Reads the options that a method takes.
  static func read(_ value: Value, _ allowed: [ClientOption]) throws(DBusError) -> ClientOptions {
    guard let pairs = value.options else { throw .invalidOption("The options must be an a{sv}") }
    guard pairs.count <= maximumKeys else { throw .invalidOption("There are more than \(maximumKeys) options") }
    var options = ClientOptions()
    var seen: Set<String> = []
    for (name, value) in pairs {
      guard let option = allowed.first(where: { $0.name == name }) else {
        let names = allowed.map(\.name).joined(separator: ", ")
        throw .invalidOption("There is no option \(quoted(name)); the options are \(names)")
      }
      guard seen.insert(name).inserted else { throw .invalidOption("The option \(name) is given twice") }
      try set(option, to: value, in: &options)
    }
    return options
  }

  /// Reads one option.
  static func set(_ option: ClientOption, to value: Value, in options: inout ClientOptions) throws(DBusError) {
    guard let optionValue = OptionValue(value) else {
      throw .invalidOption("The option \(option.name) has the type \(option.type)")
    }
    do throws(OptionError) {
      try option.set(optionValue, in: &options)
    } catch {
      throw .invalidOption(error.message)
    }
  }

  /// Returns the region that options describe.
  static func configuration(of options: RegionOptions) throws(DBusError) -> RegionConfiguration {
    do throws(OptionError) {
      return try options.configuration()
    } catch {
      throw .invalidOption(error.message)
    }
  }

  /// Returns a name from outside in a form that is safe in a sentence.
  private static func quoted(_ name: String) -> String {
    let isPlain = name.utf8.count <= 64 && name.unicodeScalars.allSatisfy { $0.isPrintable }
    return isPlain ? "'\(name)'" : "of that name"
  }
}

nonisolated extension OptionValue {
  /// Any integer or a double is a number, provided that a double holds it exactly.
  init?(_ value: Value) {
    let number: Double?
    switch value {
    case .string(let text):
      self = .text(text)
      return
    case .boolean(let truth):
      self = .truth(truth)
      return
    case .double(let value): number = value
    case .byte(let value): number = Double(value)
    case .int16(let value): number = Double(value)
    case .uint16(let value): number = Double(value)
    case .int32(let value): number = Double(value)
    case .uint32(let value): number = Double(value)
    case .int64(let value): number = Double(exactly: value)
    case .uint64(let value): number = Double(exactly: value)
    default: return nil
    }
    guard let number else { return nil }
    self = .number(number)
  }
}

nonisolated extension Value {
  /// Returns the value of an option in its own D-Bus type.
  init(_ value: OptionValue, as type: String) {
    self =
      switch value {
      case .text(let text): .string(text)
      case .truth(let truth): .boolean(truth)
      case .number(let number): type == "u" ? .uint32(UInt32(exactly: number) ?? 0) : .double(number)
      }
  }
}
