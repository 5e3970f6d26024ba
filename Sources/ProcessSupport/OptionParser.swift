// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// GLib's option parser: long and short options, and a help text made from their descriptions.
@MainActor public final class OptionParser {
  private let context: OpaquePointer
  private var switches: [String: UnsafeMutablePointer<gboolean>] = [:]
  private var texts: [String: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>] = [:]
  private var entries: [GOptionEntry] = []
  private var shortNames: [Character: String] = [:]

  /// - Parameter arguments: What follows the options in the usage line.
  public init(summary: String, arguments: String? = nil, footer: String? = nil) {
    context = g_option_context_new(arguments)
    g_option_context_set_summary(context, summary)
    g_option_context_set_description(context, footer)
    // GLib would list its own help option before the useful ones.
    g_option_context_set_help_enabled(context, 0)
  }

  isolated deinit {
    g_option_context_free(context)
    for entry in entries {
      g_free(UnsafeMutableRawPointer(mutating: entry.long_name))
      g_free(UnsafeMutableRawPointer(mutating: entry.description))
      g_free(UnsafeMutableRawPointer(mutating: entry.arg_description))
    }
    for value in switches.values { value.deallocate() }
    for value in texts.values {
      g_free(value.pointee)
      value.deallocate()
    }
  }

  /// Declares an option without a value.
  public func addSwitch(_ name: String, _ short: Character? = nil, _ description: String) {
    let value = UnsafeMutablePointer<gboolean>.allocate(capacity: 1)
    value.initialize(to: 0)
    switches[name] = value
    add(name, short, G_OPTION_ARG_NONE, value, description, nil)
  }

  /// Declares an option with a value.
  public func addText(_ name: String, _ short: Character? = nil, _ description: String, value placeholder: String) {
    let value = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: 1)
    value.initialize(to: nil)
    texts[name] = value
    add(name, short, G_OPTION_ARG_STRING, value, description, placeholder)
  }

  /// Parses the program's arguments and returns those that are not options, without the program's name.
  ///
  /// Throws the help if `--help` is among them.
  public func parse(_ arguments: [String]) throws(UsageError) -> [String] {
    addSwitch("help", "h", "Show this help")
    let arguments = try arguments.prefix(1) + separated(arguments.dropFirst())
    entries.append(GOptionEntry())
    g_option_context_add_main_entries(context, entries, nil)
    // GLib's own string vector: the parser takes entries out of it, and it is freed as a whole.
    let builder = g_strv_builder_new()
    for argument in arguments { g_strv_builder_add(builder, argument) }
    var vector = g_strv_builder_end(builder)
    g_strv_builder_unref(builder)
    defer { g_strfreev(vector) }
    var error: UnsafeMutablePointer<GError>?
    guard g_option_context_parse_strv(context, &vector, &error) != 0 else {
      let message = error.map { String(cString: $0.pointee.message) } ?? "The command line is not understood"
      g_clear_error(&error)
      throw UsageError(message)
    }
    if isSet("help") {
      let help = g_option_context_get_help(context, 1, nil)
      defer { g_free(help) }
      throw UsageError(help: help.map { String(cString: g_strchomp($0)) + "\n" } ?? "")
    }
    return vector.map { Array(ProgramArguments.strings(Int32(clamping: g_strv_length($0)), $0).dropFirst()) } ?? []
  }

  /// Whether an argument is a declared option whose value is the next argument.
  public func takesNextArgument(_ argument: String) -> Bool {
    if argument.hasPrefix("--") { return texts[String(argument.dropFirst(2))] != nil }
    // Short switches may be combined; only the last can take the next argument.
    guard argument.hasPrefix("-"), let last = argument.last, let name = shortNames[last] else { return false }
    return texts[name] != nil && argument.dropFirst().dropLast().allSatisfy { shortNames[$0].map(isSwitch) ?? false }
  }

  private func isSwitch(_ name: String) -> Bool { switches[name] != nil }

  /// Separates each short option from a value that is attached to it, as in `-n1`, which GLib does not understand, and
  /// throws for options that are not declared.
  private func separated(_ arguments: ArraySlice<String>) throws(UsageError) -> [String] {
    var result: [String] = []
    var rest = arguments
    while let argument = rest.popFirst() {
      result.append(argument)
      if argument == "--" { return result + rest }
      if takesNextArgument(argument) {
        if let value = rest.popFirst() { result.append(value) }
      } else if argument.hasPrefix("--") {
        let name = String(argument.dropFirst(2).prefix { $0 != "=" })
        guard isSwitch(name) || texts[name] != nil else { throw unknownOption(name) }
      } else if argument.hasPrefix("-"), argument != "-" {
        result[result.count - 1] = "-"
        var letters = argument.dropFirst()
        while let letter = letters.popFirst() {
          guard let name = shortNames[letter] else {
            let hint = letter.isNumber || letter == "." ? "; write -- before a number that begins with a minus" : ""
            throw UsageError("There is no option -\(letter)\(hint)")
          }
          result[result.count - 1].append(letter)
          guard isSwitch(name) else {
            result.append(String(letters))
            break
          }
        }
      }
    }
    return result
  }

  private func unknownOption(_ name: String) -> UsageError {
    let known = (Array(switches.keys) + Array(texts.keys)).sorted().map { "--\($0)" }
    let option = "--\(name)"
    return switch Suggestion.match(option, among: known) {
    case .found(let meant), .unknown(let meant?): UsageError("There is no option \(option); did you mean \(meant)?")
    case .ambiguous(let names):
      UsageError("There is no option \(option); did you mean \(Suggestion.alternatives(names))?")
    case .unknown(nil): UsageError("There is no option \(option); --help lists the options")
    }
  }

  public func isSet(_ name: String) -> Bool { (switches[name]?.pointee ?? 0) != 0 }

  public func text(_ name: String) -> String? { texts[name]?.pointee.map { String(cString: $0) } }

  private func add(
    _ name: String, _ short: Character?, _ kind: GOptionArg, _ value: UnsafeMutableRawPointer, _ description: String,
    _ placeholder: String?
  ) {
    var entry = GOptionEntry()
    // GLib's context keeps the pointers.
    entry.long_name = UnsafePointer(g_strdup(name))
    if let short { shortNames[short] = name }
    entry.short_name = CChar(bitPattern: short?.asciiValue ?? 0)
    entry.arg = kind
    entry.arg_data = value
    entry.description = UnsafePointer(g_strdup(description))
    entry.arg_description = placeholder.map { UnsafePointer(g_strdup($0)) }
    entries.append(entry)
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
