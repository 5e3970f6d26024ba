// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// The contract's options on the command line: those that have a flag in the table ``ClientOption``.
enum SubscriptionArguments {
  static func declare(_ parser: OptionParser, _ table: [ClientOption]) {
    for case let flag? in table.map(\.flag) {
      parser.addText(flag.name, flag.letter, flag.help, value: flag.value)
    }
  }

  /// Declares the options of a subscription, with the limits that end it.
  static func declareSubscription(_ parser: OptionParser) {
    declare(parser, ClientOption.ofSubscription)
    parser.addText("count", "n", "Stop after this many locations", value: "NUMBER")
    parser.addText("duration", nil, "Stop after this time", value: "TIME")
  }

  /// Reads the options of `table` that have a flag and were given.
  static func read(_ table: [ClientOption], _ parser: OptionParser) throws(UsageError) -> ClientOptions {
    var options = ClientOptions()
    for option in table {
      guard let flag = option.flag?.name, let value = try value(of: flag, option.field, parser) else { continue }
      do throws(OptionError) {
        try option.set(value, in: &options)
      } catch {
        throw .init("--\(flag) is invalid: \(error.message)")
      }
    }
    return options
  }

  private static func value(
    of flag: String, _ field: ClientOption.Field, _ parser: OptionParser
  ) throws(UsageError) -> OptionValue? {
    switch field {
    case .level: try parser.level(flag).map { .text($0.contractName) }
    case .metres: try parser.metres(flag).map { .number($0) }
    case .milliseconds: try parser.milliseconds(flag).map { .number(Double($0)) }
    case .count: try parser.count(flag).map { .number(Double($0)) }
    case .mode: try parser.mode(flag).map { .text($0.rawValue) }
    case .text: parser.text(flag).map { .text($0) }
    case .regionState: try parser.word(flag, of: ["inside", "outside"]).map { .text($0) }
    case .truth, .required: nil
    }
  }
}
