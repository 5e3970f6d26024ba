// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// GLib's option parser: long and short options, `--help` made from their descriptions.
@MainActor public final class OptionParser {
  private let context: OpaquePointer
  private var switches: [String: UnsafeMutablePointer<gboolean>] = [:]
  private var texts: [String: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>] = [:]
  private var entries: [GOptionEntry] = []

  /// `summary` is the line under the usage in `--help`.
  public init(summary: String, arguments: String? = nil) {
    context = g_option_context_new(arguments)
    g_option_context_set_summary(context, summary)
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

  /// Parses the program's arguments and returns those that are no options, the program's name not among them.
  ///
  /// For `--help` it prints the help and ends the program, as is GLib's way.
  public func parse(_ arguments: [String]) throws(UsageError) -> [String] {
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
    var rest: [String] = []
    var index = 1
    while let argument = vector?[index] {
      rest.append(String(cString: argument))
      index += 1
    }
    return rest
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
    entry.short_name = CChar(bitPattern: short?.asciiValue ?? 0)
    entry.arg = kind
    entry.arg_data = value
    entry.description = UnsafePointer(g_strdup(description))
    entry.arg_description = placeholder.map { UnsafePointer(g_strdup($0)) }
    entries.append(entry)
  }
}
