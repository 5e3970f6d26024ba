// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// A configuration file in GLib's key file format.
@MainActor public final class KeyFile {
  /// The mistakes in files, with their paths and, if known, the groups and keys.
  nonisolated public struct FileError: Error, CustomStringConvertible {
    /// One line for each mistake.
    public let mistakes: [String]

    public init(_ path: String, _ message: String) { mistakes = ["\(path): \(message)"] }
    public init(_ path: String, group: String, key: String, _ message: String) {
      mistakes = ["\(path): [\(group)] \(key): \(message)"]
    }
    /// Joins errors; nil if there are none.
    public init?(_ errors: [FileError]) {
      guard !errors.isEmpty else { return nil }
      mistakes = errors.flatMap(\.mistakes)
    }

    public var description: String { mistakes.joined(separator: "; ") }
  }

  public let path: String
  private let file: OpaquePointer

  /// Reads a file. Throws if it cannot be read or is not a key file.
  public init(path: String) throws(FileError) {
    self.path = path
    file = g_key_file_new()
    var error: UnsafeMutablePointer<GError>?
    guard g_key_file_load_from_file(file, path, cglib_key_file_none, &error) != 0 else {
      let message = error.map { String(cString: $0.pointee.message) } ?? "it cannot be read"
      g_clear_error(&error)
      // The file is released by `deinit`, because both properties have been set.
      throw FileError(path, message)
    }
  }

  isolated deinit { g_key_file_unref(file) }

  /// The groups in the order of the file.
  public var groups: [String] { strings(g_key_file_get_groups(file, nil)) }

  public func keys(of group: String) -> [String] { strings(g_key_file_get_keys(file, group, nil, nil)) }

  /// Returns the text of a number or a truth value, without the blanks at its end, which GLib ignores in such values.
  public func scalar(_ key: String, of group: String) -> String? {
    text(key, of: group).map { text in
      text.lastIndex { !($0.isASCII && $0.isWhitespace) }.map { String(text[...$0]) } ?? ""
    }
  }

  public func text(_ key: String, of group: String) -> String? {
    guard let text = g_key_file_get_string(file, group, key, nil) else { return nil }
    defer { g_free(text) }
    return String(validatingCString: text)
  }

  private func strings(_ vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> [String] {
    guard let vector else { return [] }
    defer { g_strfreev(vector) }
    return ProgramArguments.strings(Int32(clamping: g_strv_length(vector)), vector)
  }
}
