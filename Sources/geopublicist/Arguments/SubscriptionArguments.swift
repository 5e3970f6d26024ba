// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistProcessSupport

/// The options of a subscription as options of a command line.
enum SubscriptionArguments {
  static func declare(_ parser: OptionParser) {
    parser.addText("accuracy", "a", "country, city, neighborhood, street or exact (default)", value: "LEVEL")
    parser.addText("distance", "d", "Only fixes that lie this far from the one before", value: "METRES")
    parser.addText("interval", "i", "No more than one fix in this time", value: "TIME")
    parser.addText("debounce", nil, "A fix only after this time without another", value: "TIME")
    parser.addText("desktop-id", nil, "The desktop file's name of the program that asks", value: "ID")
  }

  /// The options of `CreateSubscription` that were given.
  static func options(_ parser: OptionParser) throws(OptionParser.UsageError) -> [(String, Value)] {
    var options: [(String, Value)] = []
    func add(_ name: String, _ value: Value?) { if let value { options.append((name, value)) } }
    add("accuracy", try parser.level("accuracy").map { .string($0) })
    add("distance-threshold", try parser.metres("distance").map { .double($0) })
    add("time-threshold", try parser.milliseconds("interval").map { .uint32($0) })
    add("debounce", try parser.milliseconds("debounce").map { .uint32($0) })
    add("max-updates", try parser.count("count").map { .uint32($0) })
    add("duration", try parser.duration("duration").map { .uint32($0) })
    add("desktop-id", parser.text("desktop-id").map { .string($0) })
    return options
  }
}
