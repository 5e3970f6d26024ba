// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Locates the programs and files that tests use.
public enum Rig {
  /// A script or data file in Tests/Rig.
  public static func file(_ name: String) -> String { directory(above: #filePath, levels: 2) + "/Rig/\(name)" }

  /// A file of the package.
  public nonisolated static func sourceFile(_ name: String) -> String {
    directory(above: #filePath, levels: 3) + "/\(name)"
  }

  /// A program that the package builds, beside the running tests; `GEOPUBLICIST_BIN` names another directory.
  public static func product(_ name: String) -> String {
    if let elsewhere = ProcessInfo.processInfo.environment["GEOPUBLICIST_BIN"] { return "\(elsewhere)/\(name)" }
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return directory(above: tests, levels: 1) + "/\(name)"
  }

  /// Debian's Python, which has the packaged bindings; another one may come first in PATH.
  public static let python = "/usr/bin/python3"

  /// Whether tests may act as other users.
  public nonisolated static var isRoot: Bool { getuid() == 0 }

  private nonisolated static func directory(above path: String, levels: Int) -> String {
    path.components(separatedBy: "/").dropLast(levels).joined(separator: "/")
  }
}
