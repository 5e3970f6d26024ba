// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// The contract's options on the command line: those that have a flag in the table ``ClientOption``.
enum SubscriptionArguments {
  static func declare(_ parser: OptionParser, _ table: [ClientOption]) {
    for option in table {
      guard let flag = option.flag else { continue }
      parser.addText(flag.name, flag.letter, tr(received: flag.help), value: flag.value, words: words(option.field))
    }
  }

  /// Declares the options of a subscription, with the limits that end it.
  static func declareSubscription(_ parser: OptionParser) {
    declare(parser, ClientOption.ofSubscription)
    parser.addText("count", "n", tr("Stop after this many locations"), value: "NUMBER")
    parser.addText("duration", nil, tr("Stop after this time"), value: "TIME")
  }

  private static func words(_ field: ClientOption.Field) -> [String] {
    switch field {
    case .level: AccuracyLevel.words
    case .mode: DeliveryMode.allCases.map(\.rawValue)
    case .regionState: ["inside", "outside"]
    case .twilight: Twilight.allCases.map(\.rawValue)
    default: []
    }
  }

  /// Reads the options of `table` that have a flag and were given.
  static func read(_ table: [ClientOption], _ parser: OptionParser) throws(UsageError) -> ClientOptions {
    var options = ClientOptions()
    for option in table {
      guard let flag = option.flag?.name, let value = try value(of: flag, option.field, parser) else { continue }
      do throws(OptionError) {
        try option.set(value, in: &options)
      } catch {
        throw .init(tr("--\(flag) is invalid: \(error.message)"))
      }
    }
    return options
  }

  private static func value(
    of flag: String, _ field: ClientOption.Field, _ parser: OptionParser
  ) throws(UsageError) -> OptionValue? {
    switch field {
    case .level, .mode, .regionState, .twilight: try parser.word(flag).map { .text($0) }
    case .metres: try parser.metres(flag).map { .number($0) }
    case .milliseconds: try parser.milliseconds(flag).map { .number(Double($0)) }
    case .count: try parser.count(flag).map { .number(Double($0)) }
    case .offset: try parser.seconds(flag).map { .number(Double($0)) }
    case .text: parser.text(flag).map { .text($0) }
    case .truth, .required: nil
    }
  }
}

/// Numbers with units, as users write them on the command line.
nonisolated enum Quantity {
  private static let timeUnits = [("ms", 1.0), ("s", 1_000), ("min", 60_000), ("m", 60_000), ("h", 3_600_000)]

  /// Returns the milliseconds of "3", "2.5s", "500ms", "5m", "2h" or "1m30s"; nil for anything else and for values out of
  /// range.
  static func milliseconds(_ text: String) -> UInt32? {
    var rest = text[...]
    var total = 0.0
    var isFirst = true
    while isFirst || !rest.isEmpty {
      guard let (number, unit, end) = quantity(rest) else { return nil }
      // Only a single number may omit the unit.
      guard let factor = timeUnits.first(where: { $0.0 == unit })?.1 ?? (unit.isEmpty && isFirst ? 1_000 : nil),
        !unit.isEmpty || end.isEmpty
      else { return nil }
      total += number * factor
      rest = end
      isFirst = false
    }
    return UInt32(exactly: total.rounded())
  }

  /// Returns the metres of "25", "25m" or "1.5km".
  static func metres(_ text: String) -> Double? {
    guard let (number, unit, rest) = quantity(text[...]), rest.isEmpty else { return nil }
    switch unit {
    case "", "m": return number
    case "km": return number * 1_000
    default: return nil
    }
  }

  /// Returns milliseconds in the largest units that divide them, such as "2min" or "1min30s".
  static func text(milliseconds: UInt64) -> String {
    var rest = milliseconds
    var text = ""
    for (unit, size) in [("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1)] as [(String, UInt64)] {
      if rest >= size { text += "\(rest / size)\(unit)" }
      rest %= size
    }
    return text.isEmpty ? "0s" : text
  }

  private static func quantity(_ text: Substring) -> (number: Double, unit: String, rest: Substring)? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let number = Double(digits), number.isFinite else { return nil }
    let behind = text[digits.endIndex...]
    let unit = behind.prefix { $0.isASCII && $0.isLetter }
    return (number, String(unit), behind[unit.endIndex...])
  }
}

nonisolated extension AccuracyLevel {
  /// The names of the levels that can be requested.
  static let words = allCases.filter { $0 != .none }.map(\.contractName)
}

/// Options whose values are checked; nil for an option that was not given.
extension OptionParser {
  func milliseconds(_ name: String) throws(UsageError) -> UInt32? {
    try value(name, tr("a time such as 500ms, 10s, 5m or 1h30m"), Quantity.milliseconds)
  }

  func time(_ name: String) throws(UsageError) -> Duration? { try milliseconds(name).map { .milliseconds($0) } }

  func metres(_ name: String) throws(UsageError) -> Double? {
    try value(name, tr("a distance such as 25m or 1.5km"), Quantity.metres)
  }

  /// Reads a time with a sign, such as -30min.
  func seconds(_ name: String) throws(UsageError) -> Int? {
    try value(name, tr("a time such as 30min or -1h30m")) { text in
      let isNegative = text.hasPrefix("-")
      let digits = isNegative || text.hasPrefix("+") ? String(text.dropFirst()) : text
      return Quantity.milliseconds(digits).map { Int($0 / 1_000) * (isNegative ? -1 : 1) }
    }
  }

  /// Rejects zero: a limit of nothing is never intended.
  func duration(_ name: String, atMost limit: Duration? = nil) throws(UsageError) -> Duration? {
    guard let duration = try time(name) else { return nil }
    guard duration > .zero else { throw UsageError(tr("--\(name) must be longer than 0s")) }
    if let limit, duration > limit {
      let longest = Quantity.text(milliseconds: UInt64(clamping: limit.milliseconds))
      throw UsageError(tr("--\(name) must be at most \(longest)"))
    }
    return duration
  }

  func count(_ name: String) throws(UsageError) -> UInt32? {
    try value(name, tr("a whole number from 1 to \(UInt32.max)")) { UInt32($0).flatMap { $0 > 0 ? $0 : nil } }
  }

  func factor(_ name: String) throws(UsageError) -> String? {
    try value(name, tr("a number greater than 0")) { text in Self.positiveNumber(text).map { _ in text } }
  }

  func place(_ name: String) throws(UsageError) -> Location? {
    try value(name, tr("degrees of latitude and longitude such as 52.5,13.4")) { Location(degrees: $0) }
  }

  /// Reads `--format`, which excludes `--json`.
  func format() throws(UsageError) -> String? {
    guard let text = text("format") else { return nil }
    guard !isSet("json") else { throw UsageError(tr("--format and --json cannot be combined")) }
    return text
  }

  private func value<T>(_ name: String, _ kind: String, _ read: (String) -> T?) throws(UsageError) -> T? {
    guard let text = text(name) else { return nil }
    guard let value = read(text) else { throw UsageError(tr("--\(name) requires \(kind), not '\(text)'")) }
    return value
  }
}
