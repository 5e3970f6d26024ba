// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import Glibc

/// GLib's option parser: long and short options, and a help text made from their descriptions.
@MainActor public final class OptionParser {
  private let context: OpaquePointer
  private var switches: [String: UnsafeMutablePointer<gboolean>] = [:]
  private var texts: [String: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>] = [:]
  private var entries: [GOptionEntry] = []
  private var shortNames: [Character: String] = [:]

  /// - Parameters:
  ///   - summary: The text under the usage line of the help.
  ///   - footer: The text at its end.
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

  /// An option without a value.
  public func addSwitch(_ name: String, _ short: Character? = nil, _ description: String) {
    let value = UnsafeMutablePointer<gboolean>.allocate(capacity: 1)
    value.initialize(to: 0)
    switches[name] = value
    add(name, short, G_OPTION_ARG_NONE, value, description, nil)
  }

  /// An option with a value.
  public func addText(_ name: String, _ short: Character? = nil, _ description: String, value placeholder: String) {
    let value = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: 1)
    value.initialize(to: nil)
    texts[name] = value
    add(name, short, G_OPTION_ARG_STRING, value, description, placeholder)
  }

  /// What was wrong with the command line, in a sentence for its user.
  nonisolated public struct UsageError: Error {
    public let message: String
    public init(message: String) { self.message = message }
  }

  /// Parses the program's arguments and returns those that are not options, without the program's name.
  ///
  /// For `--help` it prints the help and exits.
  public func parse(_ arguments: [String]) throws(UsageError) -> [String] {
    addSwitch("help", "h", "Show this help")
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
      throw UsageError(message: message)
    }
    if isSet("help") { printHelp() }
    var rest: [String] = []
    var index = 1
    while let argument = vector?[index] {
      rest.append(String(cString: argument))
      index += 1
    }
    return rest
  }

  /// Whether an argument is one of the declared options and needs the next argument as its value.
  public func takesNextArgument(_ argument: String) -> Bool {
    if argument.hasPrefix("--") { return texts[String(argument.dropFirst(2))] != nil }
    // Short switches may be combined; only the last can take the next argument.
    guard argument.hasPrefix("-"), let last = argument.last, let name = shortNames[last] else { return false }
    return texts[name] != nil && argument.dropFirst().dropLast().allSatisfy { shortNames[$0].map(isSwitch) ?? false }
  }

  private func isSwitch(_ name: String) -> Bool { switches[name] != nil }

  private func printHelp() -> Never {
    // `puts` adds a line end of its own.
    let help = g_option_context_get_help(context, 1, nil).map { g_strchomp($0) }
    // Flushing every stream is the way to the error of the one that `puts` writes to.
    let isWritten = help.map { puts($0) >= 0 && fflush(nil) == 0 } ?? false
    exit(isWritten ? EXIT_SUCCESS : EXIT_FAILURE)
  }

  /// Whether a switch was given.
  public func isSet(_ name: String) -> Bool { (switches[name]?.pointee ?? 0) != 0 }

  /// The value of an option, if it was given.
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
