// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import Glibc

/// A small file in systemd's runtime directory, by which one run of the service tells the next a few lines.
public struct RuntimeFile {
  /// More is not read.
  private static let maximumBytes = 4_096

  private let path: String

  /// The file of a name; nil if there is no runtime directory.
  public init?(_ name: String) {
    guard let folders = getenv("RUNTIME_DIRECTORY").map({ String(cString: $0) }),
      let folder = folders.split(separator: ":").first
    else { return nil }
    path = "\(folder)/\(name)"
  }

  /// The lines that the last run left.
  public func read() -> [String] {
    guard let text = try? TextFile.contents(of: path), text.utf8.count <= Self.maximumBytes else { return [] }
    return text.split(separator: "\n").map(String.init)
  }

  /// Leaves lines for the next run, readable by this user alone.
  public func write(_ lines: [String]) {
    try? TextFile.replace(path, with: lines.map { $0 + "\n" }.joined(), mode: 0o600)
  }
}
