// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// The options of the contract's methods as options of a command line: those that the table ``ClientOption`` has a flag for.
enum SubscriptionArguments {
  static func declare(_ parser: OptionParser, _ table: [ClientOption] = ClientOption.ofSubscription) {
    for case let flag? in table.map(\.flag) {
      parser.addText(flag.name, flag.letter, flag.help, value: flag.value)
    }
  }

  /// The options of `CreateSubscription` that were given.
  static func options(_ parser: OptionParser) throws(OptionParser.UsageError) -> ClientOptions {
    var options = try read(ClientOption.ofSubscription, parser)
    // The commands that end have flags of their own for these.
    options.maximumUpdates = try parser.count("count") ?? 0
    options.duration = try parser.duration("duration") ?? 0
    return options
  }

  /// Those of the given options that have a flag and were given.
  static func read(
    _ table: [ClientOption], _ parser: OptionParser
  ) throws(OptionParser.UsageError) -> ClientOptions {
    var options = ClientOptions()
    for option in table {
      guard let flag = option.flag?.name, let value = try value(of: flag, option.field, parser) else { continue }
      do throws(OptionError) {
        try option.set(value, in: &options)
      } catch {
        throw .init(message: "--\(flag) is refused: \(error.message)")
      }
    }
    return options
  }

  private static func value(
    of flag: String, _ field: ClientOption.Field, _ parser: OptionParser
  ) throws(OptionParser.UsageError) -> OptionValue? {
    switch field {
    case .level: try parser.level(flag).map { .text($0) }
    case .metres: try parser.metres(flag).map { .number($0) }
    case .milliseconds: try parser.milliseconds(flag).map { .number(Double($0)) }
    case .count: try parser.count(flag).map { .number(Double($0)) }
    case .mode: try parser.mode(flag).map { .text($0) }
    case .text, .regionState: parser.text(flag).map { .text($0) }
    case .truth, .required: nil
    }
  }
}
