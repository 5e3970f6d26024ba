// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// GLib's option parser: long and short options, and a help text made from their descriptions.
@MainActor public final class OptionParser {
  nonisolated public struct Option {
    /// The long form, without hyphens.
    public let name: String
    public let letter: Character?
    /// Its effect, in a line of the help.
    public let help: String
    /// The placeholder of its value in the help; nil for a switch.
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
    declared + [Option(name: "help", letter: "h", help: tr("Show this help"), value: nil, words: [])]
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
      throw UsageError(tr("--\(name) requires \(Suggestion.alternatives(words)), not '\(text)'"))
    }
    return text
  }

  /// Parses the program's arguments, without its name, and returns those that are not options.
  ///
  /// Throws the help if `--help` is among them.
  public func parse(_ arguments: [String]) throws(UsageError) -> [String] {
    // After `--` there are no options; GLib would also remove a second `--`.
    let (before, behind) = try separated(arguments)
    let context = g_option_context_new(self.arguments)
    defer { g_option_context_free(context) }
    g_set_prgname(program)
    g_option_context_set_summary(context, summary)
    g_option_context_set_description(context, footer)
    // GLib would list its own help option before the useful ones.
    g_option_context_set_help_enabled(context, 0)
    let entries = options.map(Entry.init)
    defer { for entry in entries { entry.free() } }
    g_option_context_add_main_entries(context, entries.map(\.raw) + [GOptionEntry()], nil)
    // GLib's own string vector: the parser takes entries out of it, and it is freed as a whole.
    let builder = g_strv_builder_new()
    for argument in [program] + before { g_strv_builder_add(builder, argument) }
    var vector = g_strv_builder_end(builder)
    g_strv_builder_unref(builder)
    defer { g_strfreev(vector) }
    var error: UnsafeMutablePointer<GError>?
    guard g_option_context_parse_strv(context, &vector, &error) != 0 else {
      let message = error.map { String(cString: $0.pointee.message) } ?? tr("The command line is invalid")
      g_clear_error(&error)
      throw UsageError(message)
    }
    for (option, entry) in zip(options, entries) { values[option.name] = entry.value }
    if isSet("help") {
      let help = g_option_context_get_help(context, 1, nil)
      defer { g_free(help) }
      throw UsageError(help: help.map { String(cString: g_strchomp($0)) + "\n" } ?? "")
    }
    return (vector.map { ProgramArguments.strings(Int32(clamping: g_strv_length($0)), $0).dropFirst() } ?? []) + behind
  }

  /// Splits the arguments at `--`, separates each short option from a value that is attached to it, as in `-n1`, which
  /// GLib does not understand, and throws for options that are not declared.
  private func separated(_ arguments: [String]) throws(UsageError) -> (before: [String], behind: [String]) {
    var before: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst(), argument != "--" {
      guard argument.hasPrefix("-"), argument != "-" else {
        before.append(argument)
        continue
      }
      let named = try read(argument)
      if argument.hasPrefix("--") {
        before.append(argument)
      } else {
        for (option, attached) in named {
          before += [option.letter.map { "-\($0)" }, attached].compactMap(\.self)
        }
      }
      if let (option, attached) = named.last, option.value != nil, attached == nil, let value = rest.popFirst() {
        before.append(value)
      }
    }
    return (before, Array(rest))
  }

  /// Returns a number greater than 0, such as a factor; nil for any other text.
  public static func positiveNumber(_ text: String) -> Double? {
    Double(text).flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
  }

  /// Returns the option whose value is the argument after this one; nil for any other argument.
  public func optionAwaitingValue(_ argument: String) -> Option? {
    guard argument.hasPrefix("-"), let (option, attached) = (try? read(argument))?.last else { return nil }
    return option.value != nil && attached == nil ? option : nil
  }

  /// Whether an argument names a declared option that has no value.
  public func isSwitch(_ argument: String) -> Bool {
    guard argument.hasPrefix("-"), let (option, _) = (try? read(argument))?.last else { return false }
    return option.value == nil
  }

  /// Returns the options that an argument such as `--count=1`, `-n1` or `-jn` names, each with the value attached to
  /// it.
  private func read(_ argument: String) throws(UsageError) -> [(option: Option, value: String?)] {
    if argument.hasPrefix("--") {
      let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let option = options.first(where: { $0.name == parts[0] }) else { throw unknownOption(String(parts[0])) }
      guard parts.count == 1 || option.value != nil else { throw UsageError(tr("Unknown option \(argument)")) }
      return [(option, parts.count == 1 ? nil : String(parts[1]))]
    }
    var found: [(Option, String?)] = []
    var letters = argument.dropFirst()
    while let letter = letters.popFirst() {
      guard let option = options.first(where: { $0.letter == letter }) else {
        let hint = letter.isNumber || letter == "." ? tr("; write -- before a number that begins with a minus") : ""
        throw UsageError(tr("There is no option -\(letter)\(hint)"))
      }
      guard option.value == nil else { return found + [(option, letters.isEmpty ? nil : String(letters))] }
      found.append((option, nil))
    }
    return found
  }

  private func unknownOption(_ name: String) -> UsageError {
    let option = "--\(name)"
    return switch Suggestion.match(option, among: options.map { "--\($0.name)" }.sorted()) {
    case .found(let meant), .unknown(let meant?): UsageError(tr("There is no option \(option); did you mean \(meant)?"))
    case .ambiguous(let names):
      UsageError(tr("There is no option \(option); did you mean \(Suggestion.alternatives(names))?"))
    case .unknown(nil): UsageError(tr("There is no option \(option); --help lists the options"))
    }
  }
}

/// An option in the form of GLib's parser, with room for the value that the parser finds.
private struct Entry {
  private(set) var raw = GOptionEntry()
  private let flag: UnsafeMutablePointer<gboolean>
  private let text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  init(_ option: OptionParser.Option) {
    flag = .allocate(capacity: 1)
    flag.initialize(to: 0)
    text = .allocate(capacity: 1)
    text.initialize(to: nil)
    raw.long_name = UnsafePointer(g_strdup(option.name))
    raw.short_name = CChar(bitPattern: option.letter?.asciiValue ?? 0)
    // GLib converts strings, but not file names, from the locale's encoding, and rejects those that have another.
    raw.arg = option.value == nil ? G_OPTION_ARG_NONE : G_OPTION_ARG_FILENAME
    raw.arg_data = option.value == nil ? UnsafeMutableRawPointer(flag) : UnsafeMutableRawPointer(text)
    raw.description = UnsafePointer(g_strdup(option.help))
    raw.arg_description = option.value.map { UnsafePointer(g_strdup($0)) }
  }

  /// The value on the command line: empty for a switch, nil if the option was not given.
  var value: String? { flag.pointee != 0 ? "" : text.pointee.map { String(cString: $0) } }

  func free() {
    for string in [raw.long_name, raw.description, raw.arg_description] {
      g_free(UnsafeMutableRawPointer(mutating: string))
    }
    g_free(text.pointee)
    flag.deallocate()
    text.deallocate()
  }
}

/// Why a command line is not executed.
nonisolated public struct UsageError: Error {
  /// The mistake in the command line, as a sentence for the user.
  public let message: String
  /// The text that the user requested with `--help`, which is not a mistake.
  public private(set) var help: String?

  public init(_ message: String) { self.message = message }

  fileprivate init(help: String) {
    message = ""
    self.help = help
  }
}
