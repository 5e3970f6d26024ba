// SPDX-License-Identifier: Apache-2.0
import GeopublicistProcessSupport

typealias Examples = [(line: String, meaning: String)]

/// A subcommand: its name, its options and operands, and its work on the main loop.
protocol Command: AnyObject {
  static var name: String { get }
  /// One line without a full stop, for the list of commands and the command's own help.
  static var summary: String { get }
  /// The operands after the options in the usage line; nil if the command takes no operands.
  static var operands: String? { get }
  /// Returns the words that a shell offers for the next operand, beside files where the usage line has a FILE.
  static func operandWords(after operands: [String]) -> [String]
  /// Whether the command uses the session bus and never the system bus.
  static var needsSessionBus: Bool { get }
  /// Command lines and what they do, for `--help`.
  static var examples: Examples { get }

  static func declareOptions(_ parser: OptionParser)

  var invocation: Invocation { get }

  /// Reads the options and operands; throws if one is missing or invalid.
  init(_ invocation: Invocation) throws(UsageError)

  /// Starts the work; the main loop runs afterwards, until the command quits it.
  func begin()

  /// Ends the work, because the user pressed Ctrl-C or the terminal has closed; by default before the work is done.
  func interrupted()
}

extension Command {
  static var operands: String? { nil }
  static func operandWords(after operands: [String]) -> [String] { [] }
  static var needsSessionBus: Bool { false }
  static var examples: Examples { [] }
  static func declareOptions(_ parser: OptionParser) {}
  func interrupted() { invocation.finish(ExitStatus.interrupted) }

  /// The examples, for the end of the help.
  static var helpFooter: String? {
    guard !examples.isEmpty else { return nil }
    let lines = examples.map { "  geopublicist \($0.line)\n      \($0.meaning)" }
    return tr("Examples:") + "\n" + lines.joined(separator: "\n")
  }
}
