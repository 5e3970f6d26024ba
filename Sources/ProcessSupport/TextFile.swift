// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import Glibc

/// The files and folders that both programs read.
nonisolated public enum TextFile {
  /// Returns the text of a whole file, with invalid UTF-8 replaced; throws if it cannot be read.
  public static func contents(of path: String) throws(KeyFile.FileError) -> String {
    String(decoding: try bytes(of: path), as: UTF8.self)
  }

  /// Returns the bytes of a whole file; throws if it cannot be read.
  public static func bytes(of path: String) throws(KeyFile.FileError) -> [UInt8] {
    var bytes: UnsafeMutablePointer<CChar>?
    var count: gsize = 0
    var error: UnsafeMutablePointer<GError>?
    guard g_file_get_contents(path, &bytes, &count, &error) != 0, let bytes else {
      throw KeyFile.FileError(path, reason(&error))
    }
    defer { g_free(bytes) }
    return bytes.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
      Array(UnsafeBufferPointer(start: $0, count: Int(count)))
    }
  }

  /// Replaces a file as a whole, so that readers see the old text or the new one; throws if it cannot be written.
  public static func replace(_ path: String, with text: String, mode: Int32) throws(KeyFile.FileError) {
    var error: UnsafeMutablePointer<GError>?
    let count = gssize(text.utf8.count)
    guard g_file_set_contents_full(path, text, count, cglib_file_set_contents_consistent, mode, &error) != 0 else {
      throw KeyFile.FileError(path, reason(&error))
    }
  }

  /// Takes the reason out of GLib's message, which names the file before its last colon.
  private static func reason(_ error: inout UnsafeMutablePointer<GError>?) -> String {
    defer { g_clear_error(&error) }
    let message = error.map { String(cString: $0.pointee.message) } ?? ""
    return message.split(separator: ":").last.map { String($0.drop { $0 == " " }) } ?? "unknown error"
  }

  public static func exists(_ path: String) -> Bool { g_file_test(path, cglib_file_test_exists) != 0 }

  /// Returns the paths of the `*.conf` files in a folder in the order in which they apply; none if there is no folder.
  public static func dropIns(in folder: String) -> [String] {
    names(in: folder).filter { $0.hasSuffix(".conf") }.map { "\(folder)/\($0)" }
  }

  /// Returns why the files in a folder cannot be listed; nil if they can be, or if there is no folder.
  public static func failure(ofFolder path: String) -> KeyFile.FileError? {
    guard let folder = opendir(path) else {
      return errno == ENOENT ? nil : KeyFile.FileError(path, String(cString: strerror(errno)))
    }
    closedir(folder)
    return nil
  }

  /// Returns the names of the files in a folder in alphabetical order; none if there is no folder.
  public static func names(in folder: String) -> [String] {
    guard let handle = g_dir_open(folder, 0, nil) else { return [] }
    defer { g_dir_close(handle) }
    var names: [String] = []
    while let name = g_dir_read_name(handle) { names.append(String(cString: name)) }
    return names.sorted()
  }
}

/// The administrator's settings of the service.
nonisolated public enum SettingsFiles {
  /// The folder of files that add to the main one.
  public static let dropIns = "/etc/geopublicist/conf.d"
  private static let main = "/etc/geopublicist/geopublicist.conf"

  /// The paths of the files that exist, in the order in which they apply.
  public static var existing: [String] {
    (TextFile.exists(main) ? [main] : []) + TextFile.dropIns(in: dropIns)
  }
}

/// systemd's state directory of the service.
public enum StateFolder {
  /// Nil if there is none.
  public static var path: String? {
    getenv("STATE_DIRECTORY").flatMap { String(cString: $0).split(separator: ":").first.map(String.init) }
  }

  /// Its path with the packaged unit.
  public static let packaged = "/var/lib/geopublicist"
}

/// A small file in systemd's runtime directory, by which one run of the service passes a few lines to the next.
public struct RuntimeFile {
  /// A larger file is taken for an empty one.
  private static let maximumBytes = 4_096

  private let path: String

  public init?(_ name: String) {
    guard let folders = getenv("RUNTIME_DIRECTORY").map({ String(cString: $0) }),
      let folder = folders.split(separator: ":").first
    else { return nil }
    path = "\(folder)/\(name)"
  }

  public func read() -> [String] {
    guard let text = try? TextFile.contents(of: path), text.utf8.count <= Self.maximumBytes else { return [] }
    return text.split(separator: "\n").map(String.init)
  }

  /// Leaves lines for the next run, readable by this user alone.
  public func write(_ lines: [String]) {
    try? TextFile.replace(path, with: lines.map { $0 + "\n" }.joined(), mode: 0o600)
  }
}
