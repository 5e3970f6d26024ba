// SPDX-License-Identifier: Apache-2.0
/// Collects the lines that `print(_:to:)` writes.
public final class LineStream: TextOutputStream {
  public private(set) var text = ""

  public init() {}

  public func write(_ string: String) { text += string }

  public var lines: [String] { text.split(separator: "\n").map(String.init) }
}
