// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// The options of a program: what they are, what the command line says of them, and their help, in GLib's form.
@MainActor public final class OptionParser {
  nonisolated public struct Option {
    /// The long form, without hyphens.
    public let name: String
    public let letter: Character?
    /// What it does, in a line of the help.
    public let help: String
    /// What stands for its value in the help; nil for a switch.
    public let value: String?
    /// The values that a shell offers.
    public let words: [String]
  }

  private let program: String
  private let summary: String
  private let arguments: String?
  private let footer: String?
  private var declared: [Option] = []
  private var values: [String: String] = [:]

  /// - Parameter arguments: What follows the options in the usage line.
  public init(_ program: String, summary: String, arguments: String? = nil, footer: String? = nil) {
    self.program = program
    self.summary = summary
    self.arguments = arguments
    self.footer = footer
  }

  /// The declared options in their order, and `--help`.
  public var options: [Option] {
    declared + [Option(name: "help", letter: "h", help: "Show this help", value: nil, words: [])]
  }

  public func addSwitch(_ name: String, _ letter: Character? = nil, _ help: String) {
    declared.append(Option(name: name, letter: letter, help: help, value: nil, words: []))
  }

  public func addText(
    _ name: String, _ letter: Character? = nil, _ help: String, value: String, words: [String] = []
  ) {
    declared.append(Option(name: name, letter: letter, help: help, value: value, words: words))
  }

  public func isSet(_ name: String) -> Bool { values[name] != nil }

  public func text(_ name: String) -> String? { values[name] }

  /// Reads an option with one of its words; nil if it was not given.
  public func word(_ name: String) throws(UsageError) -> String? {
    guard let text = values[name] else { return nil }
    let words = declared.first { $0.name == name }?.words ?? []
    guard words.contains(text) else {
      throw UsageError("--\(name) takes \(Suggestion.alternatives(words)), not '\(text)'")
    }
    return text
  }

  /// Parses the program's arguments, without its name, and returns those that are not options.
  ///
  /// Throws the help if `--help` is among them.
  public func parse(_ arguments: [String]) throws(UsageError) -> [String] {
    // For GLib's own messages.
    g_set_prgname(program)
    var operands: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        break
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        operands.append(argument)
        continue
      }
      for (option, attached) in try read(argument) {
        guard option.value == nil || attached != nil || !rest.isEmpty else {
          let name = argument.hasPrefix("--") ? argument : "-" + (option.letter.map { String($0) } ?? "")
          throw UsageError("Missing argument for \(name)")
        }
        values[option.name] = option.value == nil ? "" : attached ?? rest.popFirst()
      }
    }
    if isSet("help") { throw UsageError(help: help) }
    return operands
  }

  /// Returns the option whose value is the argument behind this one; nil for any other argument.
  public func optionAwaitingValue(_ argument: String) -> Option? {
    guard argument.hasPrefix("-"), let (option, attached) = (try? read(argument))?.last else { return nil }
    return option.value != nil && attached == nil ? option : nil
  }

  /// Returns the options that an argument such as `--count=1`, `-n1` or `-jn` names, each with the value attached to it.
  private func read(_ argument: String) throws(UsageError) -> [(option: Option, value: String?)] {
    if argument.hasPrefix("--") {
      let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let option = options.first(where: { $0.name == parts[0] }) else { throw unknownOption(String(parts[0])) }
      guard parts.count == 1 || option.value != nil else { throw UsageError("Unknown option \(argument)") }
      return [(option, parts.count == 1 ? nil : String(parts[1]))]
    }
    var found: [(Option, String?)] = []
    var letters = argument.dropFirst()
    while let letter = letters.popFirst() {
      guard let option = options.first(where: { $0.letter == letter }) else {
        let hint = letter.isNumber || letter == "." ? "; write -- before a number that begins with a minus" : ""
        throw UsageError("There is no option -\(letter)\(hint)")
      }
      guard option.value == nil else { return found + [(option, letters.isEmpty ? nil : String(letters))] }
      found.append((option, nil))
    }
    return found
  }

  private func unknownOption(_ name: String) -> UsageError {
    let option = "--\(name)"
    return switch Suggestion.match(option, among: options.map { "--\($0.name)" }.sorted()) {
    case .found(let meant), .unknown(let meant?): UsageError("There is no option \(option); did you mean \(meant)?")
    case .ambiguous(let names):
      UsageError("There is no option \(option); did you mean \(Suggestion.alternatives(names))?")
    case .unknown(nil): UsageError("There is no option \(option); --help lists the options")
    }
  }

  private var help: String {
    let names = options.map { option in
      "  " + (option.letter.map { "-\($0), " } ?? "") + "--\(option.name)" + (option.value.map { "=\($0)" } ?? "")
    }
    let width = (names.map(\.count).max() ?? 0) + 5
    let lines = zip(names, options).map { name, option in
      name + String(repeating: " ", count: width - name.count) + option.help
    }
    return "Usage:\n  \(program) [OPTION…]\(arguments.map { " \($0)" } ?? "")\n\n\(summary)\n\nOptions:\n"
      + lines.joined(separator: "\n") + (footer.map { "\n\n\($0)" } ?? "") + "\n"
  }
}

/// Why a command line is not executed.
nonisolated public struct UsageError: Error {
  /// What is wrong with it, in a sentence for its user.
  public let message: String
  /// The text that the user asked for with `--help`; then nothing is wrong.
  public private(set) var help: String?

  public init(_ message: String) { self.message = message }

  fileprivate init(help: String) {
    message = ""
    self.help = help
  }
}
