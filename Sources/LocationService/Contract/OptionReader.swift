// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// Reads an `a{sv}` of options according to ``ClientOption``. An unknown key, an unsuitable type, a value out of range
/// and a repeated key are errors, never ignored.
nonisolated enum OptionReader {
  static let maximumKeys = 32

  static func read(_ value: Value, _ allowed: [ClientOption]) throws(DBusError) -> ClientOptions {
    guard let pairs = value.options else { throw .invalidOption("The options must have the type a{sv}") }
    guard pairs.count <= maximumKeys else { throw .invalidOption("There are more than \(maximumKeys) options") }
    var options = ClientOptions()
    var seen: Set<String> = []
    for (name, value) in pairs {
      guard let option = allowed.first(where: { $0.name == name }) else {
        let names = allowed.map(\.name).joined(separator: ", ")
        throw .invalidOption("Unknown option \(quoted(name)); the options are \(names)")
      }
      guard seen.insert(name).inserted else { throw .invalidOption("Option \(name) is given more than once") }
      try set(option, to: value, in: &options)
    }
    return options
  }

  /// Reads the options of an almanac, whose level is fixed.
  static func almanac(_ value: Value, _ allowed: [ClientOption]) throws(DBusError) -> ClientOptions {
    var options = try read(value, allowed)
    options.accuracy = .city
    return options
  }

  static func set(_ option: ClientOption, to value: Value, in options: inout ClientOptions) throws(DBusError) {
    guard let optionValue = OptionValue(value) else {
      throw .invalidOption("Option \(option.name) must have the type \(option.type)")
    }
    do throws(OptionError) {
      try option.set(optionValue, in: &options)
    } catch {
      throw .invalidOption(error.message)
    }
  }

  static func configuration(of options: RegionOptions) throws(DBusError) -> RegionConfiguration {
    do throws(OptionError) {
      return try options.configuration()
    } catch {
      throw .invalidOption(error.message)
    }
  }

  /// Returns a name from a client in a form that is safe in an error message.
  private static func quoted(_ name: String) -> String {
    let isPlain = name.utf8.count <= 64 && name.unicodeScalars.allSatisfy { $0.isPrintable }
    return isPlain ? "'\(name)'" : "with an unprintable or overlong name"
  }
}

nonisolated extension OptionValue {
  /// Accepts any integer type or a double as a number, provided that a double represents it exactly.
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
