// SPDX-License-Identifier: Apache-2.0
import GeopublicistProcessSupport

/// One subcommand: what it is called, what it takes, and what it does on the main loop.
protocol Command: AnyObject {
  static var name: String { get }
  /// One line for the list of commands and for the command's own help.
  static var summary: String { get }
  /// What follows the options, for the line of usage.
  static var operands: String? { get }
  /// Command lines and what they do, for `--help`.
  static var examples: [(line: String, meaning: String)] { get }

  /// Declares the command's own options.
  static func declareOptions(_ parser: OptionParser)

  /// Reads the options; throws for a value that makes no sense.
  init(_ invocation: Invocation) throws(OptionParser.UsageError)

  /// Sets to work; the main loop runs afterwards, until the command quits it.
  func begin()

  /// The user pressed Ctrl-C, or the terminal is gone.
  func interrupted()
}

extension Command {
  static var operands: String? { nil }
  static var examples: [(line: String, meaning: String)] { [] }
  static func declareOptions(_ parser: OptionParser) {}

  /// The examples as the end of the help.
  static var helpFooter: String? {
    guard !examples.isEmpty else { return nil }
    let lines = examples.map { "  geopublicist \($0.line)\n      \($0.meaning)" }
    return "Examples:\n" + lines.joined(separator: "\n")
  }
}
