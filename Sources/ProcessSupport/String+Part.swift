// SPDX-License-Identifier: Apache-2.0
nonisolated extension String {
  /// Whether another text is somewhere in this one; the standard library's own way needs Foundation or regular expressions.
  public func hasPart(_ other: String) -> Bool {
    let (text, part) = (Array(utf8), Array(other.utf8))
    guard text.count >= part.count else { return false }
    return (0...(text.count - part.count)).contains { text[$0..<($0 + part.count)].elementsEqual(part) }
  }
}
