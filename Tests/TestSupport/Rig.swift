// SPDX-License-Identifier: Apache-2.0
import Foundation

public enum Rig {
  /// A script or data file in Tests/Rig.
  public static func file(_ name: String) -> String { directory(above: #filePath, levels: 2) + "/Rig/\(name)" }

  public nonisolated static func sourceFile(_ name: String) -> String {
    directory(above: #filePath, levels: 3) + "/\(name)"
  }

  /// A program that the package builds, beside the running tests; `GEOPUBLICIST_BIN` names another directory.
  public static func product(_ name: String) -> String {
    if let elsewhere = ProcessInfo.processInfo.environment["GEOPUBLICIST_BIN"] { return "\(elsewhere)/\(name)" }
    return directory(above: tests, levels: 1) + "/\(name)"
  }

  /// The folders of `XDG_DATA_DIRS`, including this build's table of places.
  public static var data: String { directory(above: tests, levels: 3) + "/share:/usr/share" }

  private static var tests: String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
  }

  /// Debian's Python, which has the packaged bindings; another one may come first in PATH.
  public static let python = "/usr/bin/python3"

  public nonisolated static var isRoot: Bool { getuid() == 0 }

  private nonisolated static func directory(above path: String, levels: Int) -> String {
    path.components(separatedBy: "/").dropLast(levels).joined(separator: "/")
  }
}

/// A directory that every user may enter, and that is removed with the last reference to it.
public final class TemporaryDirectory {
  public let path: String

  public init() {
    var template = Array("/tmp/geopublicist.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("mkdtemp: \(String(cString: strerror(errno)))") }
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    chmod(path, 0o755)
  }

  isolated deinit { try? FileManager.default.removeItem(atPath: path) }

  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The path of a new file in it.
  public func freshFile(_ name: String) -> String {
    count += 1
    return "\(path)/\(count)-\(name)"
  }

  private var count = 0
}
