// SPDX-License-Identifier: Apache-2.0
nonisolated extension String {
  /// Returns whether this text contains another. The standard library's `contains` needs Foundation or links the
  /// regular expression engine.
  public func hasPart(_ other: String) -> Bool {
    let (text, part) = (Array(utf8), Array(other.utf8))
    guard text.count >= part.count else { return false }
    return (0...(text.count - part.count)).contains { text[$0..<($0 + part.count)].elementsEqual(part) }
  }
}
