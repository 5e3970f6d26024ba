// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistCGLib
import GeopublicistProcessSupport
import MainLoop

/// One call of the command: which bus, which form of output, and what the subcommand was given.
final class Invocation {
  let parser: OptionParser
  /// What is no option, the subcommand's name left out.
  let operands: [String]
  let output: StandardOutput
  let bus: Connection.Bus
  /// The bus in words.
  let busName: String
  let isJSON: Bool
  private var lastComplaint = ""

  private static let addressOption = "address"

  /// Finds the subcommand, wherever among the options it stands.
  static func split(_ arguments: [String], commands: [any Command.Type]) -> (command: String, rest: [String])? {
    let parsers = commands.map { command in
      let parser = OptionParser(summary: "")
      command.declareOptions(parser)
      declareCommonOptions(parser)
      return parser
    }
    var index = 0
    while index < arguments.count {
      let argument = arguments[index]
      if parsers.contains(where: { $0.takesNextArgument(argument) }) {
        index += 2
      } else if argument.hasPrefix("-") {
        index += 1
      } else {
        return (argument, Array(arguments[..<index] + arguments[(index + 1)...]))
      }
    }
    return nil
  }

  static func declareCommonOptions(_ parser: OptionParser) {
    parser.addSwitch("system", nil, "Ask on the system bus (default)")
    parser.addSwitch("session", nil, "Ask on the session bus")
    parser.addText(addressOption, nil, "Ask on the bus at this D-Bus address", value: "ADDRESS")
    parser.addSwitch("json", "j", "Print one JSON object a line")
  }

  init(of command: any Command.Type, _ arguments: [String]) throws(OptionParser.UsageError) {
    // GLib prints it in the line of usage.
    g_set_prgname("geopublicist \(command.name)")
    parser = OptionParser(summary: command.summary + ".", arguments: command.operands, footer: command.helpFooter)
    command.declareOptions(parser)
    Self.declareCommonOptions(parser)
    var operands = try parser.parse(["geopublicist"] + arguments)
    // GLib leaves it where something that looks like an option follows.
    if let end = operands.firstIndex(of: "--") { operands.remove(at: end) }
    self.operands = operands
    if command.operands == nil, let first = operands.first {
      throw OptionParser.UsageError(message: "Unexpected argument '\(first)'")
    }
    let chosen = ["system", "session"].filter(parser.isSet)
    let address = parser.text(Self.addressOption)
    guard chosen.count + (address == nil ? 0 : 1) < 2 else {
      throw OptionParser.UsageError(message: "--system, --session and --address exclude each other")
    }
    bus = address.map { .address($0) } ?? (chosen == ["session"] ? .session : .system)
    busName = address == nil ? (chosen == ["session"] ? "the session bus" : "the system bus") : "this bus"
    isJSON = parser.isSet("json")
    output = StandardOutput()
  }

  /// Ends the program when nobody reads its output any more, or it cannot be written.
  func followOutput() {
    // Weakly: the output is the invocation's own, and each would keep the other.
    output.onEnd = { [weak self] reason in
      guard let self else { return }
      if let reason { complain("The output cannot be written: \(reason)") }
      finish(reason == nil ? ExitStatus.success : ExitStatus.failure)
    }
  }

  /// Ends the program with a status.
  func finish(_ status: Int32) { MainLoop.main.quit(status: status) }

  /// Ends the program with a sentence about what went wrong on a bus, the one that was chosen unless given.
  func fail(_ error: DBusError, on name: String? = nil) {
    let failure = Failure(error, on: name ?? busName)
    complain(failure.message)
    finish(failure.status)
  }

  /// Says that what was complained about is over, so that it is worth a complaint again.
  func recovered(_ message: String) {
    guard !lastComplaint.isEmpty else { return }
    complain(message)
    lastComplaint = ""
  }

  /// Says something about what goes on, without ending; the same thing not twice in a row.
  func complain(_ message: String) {
    guard message != lastComplaint else { return }
    lastComplaint = message
    output.clearProgress()
    StandardError.write("geopublicist: \(message)\n")
  }
}
