// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// The options of a subscription as options of a command line: those that the table ``ClientOption`` has a flag for.
enum SubscriptionArguments {
  static func declare(_ parser: OptionParser) {
    for case let flag? in ClientOption.ofSubscription.map(\.flag) {
      parser.addText(flag.name, flag.letter, flag.help, value: flag.value)
    }
  }

  /// The options of `CreateSubscription` that were given.
  static func options(_ parser: OptionParser) throws(OptionParser.UsageError) -> [(String, Value)] {
    var options: [(String, Value)] = []
    for option in ClientOption.ofSubscription {
      guard let flag = option.flag?.name, let value = try value(of: flag, option.field, parser) else { continue }
      options.append((option.name, value))
    }
    // The commands that end have flags of their own for these.
    if let count = try parser.count("count") { options.append(("max-updates", .uint32(count))) }
    if let duration = try parser.duration("duration") { options.append(("duration", .uint32(duration))) }
    return options
  }

  private static func value(
    of flag: String, _ field: ClientOption.Field, _ parser: OptionParser
  ) throws(OptionParser.UsageError) -> Value? {
    switch field {
    case .level: try parser.level(flag).map { .string($0) }
    case .metres: try parser.metres(flag).map { .double($0) }
    case .milliseconds: try parser.milliseconds(flag).map { .uint32($0) }
    case .count: try parser.count(flag).map { .uint32($0) }
    case .text, .mode: parser.text(flag).map { .string($0) }
    case .truth: nil
    }
  }
}
