// SPDX-License-Identifier: Apache-2.0
import GeopublicistProcessSupport

/// One subcommand: what it is called, what it takes, and what it does on the main loop.
protocol Command: AnyObject {
  static var name: String { get }
  /// One line for the list of commands and for the command's own help.
  static var summary: String { get }
  /// What follows the options, for the line of usage.
  static var operands: String? { get }

  /// Tells the parser of the command's own options.
  static func declareOptions(_ parser: OptionParser)

  /// Takes the options over; throws for a value that makes no sense.
  init(_ invocation: Invocation) throws(OptionParser.UsageError)

  /// Sets to work; the main loop runs afterwards, until somebody quits it.
  func begin()

  /// The person has pressed Ctrl-C, or the terminal has gone.
  func interrupted()
}

extension Command {
  static var operands: String? { nil }
  static func declareOptions(_ parser: OptionParser) {}
}
