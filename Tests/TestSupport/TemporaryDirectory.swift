// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A directory that every user may enter and that goes when the last reference to it goes.
public final class TemporaryDirectory {
  public let path: String

  public init() {
    var template = Array("/tmp/geopublicist.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("mkdtemp: \(String(cString: strerror(errno)))") }
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    chmod(path, 0o755)
  }

  isolated deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a file in it.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The path of a file in it whose name nothing else has.
  public func freshFile(_ name: String) -> String {
    count += 1
    return "\(path)/\(count)-\(name)"
  }

  private var count = 0
}
