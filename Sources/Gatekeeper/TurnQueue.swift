// SPDX-License-Identifier: Apache-2.0

/// Elements that wait in one line for each key: first come, first served in a line, and round robin among the keys.
nonisolated package struct TurnQueue<Key: Hashable, Element> {
  private var lines: [Key: [Element]] = [:]
  /// The keys with waiting elements in the order of their turns, each once.
  private var turns: [Key] = []

  package init() {}

  package var isEmpty: Bool { turns.isEmpty }
  /// The number of keys with waiting elements.
  package var keyCount: Int { turns.count }
  /// The key whose turn is next.
  package var nextKey: Key? { turns.first }
  package var elements: [Element] { turns.flatMap { self[$0] } }

  package subscript(key: Key) -> [Element] { lines[key] ?? [] }

  /// Changes the line of a key in place. The turn of a new key comes last.
  @discardableResult
  package mutating func edit<Result>(_ key: Key, _ change: (inout [Element]) -> Result) -> Result {
    let isNew = lines[key] == nil
    let result = change(&lines[key, default: []])
    let isEmpty = lines[key]?.isEmpty ?? true
    if isEmpty { lines[key] = nil }
    if isNew, !isEmpty { turns.append(key) }
    if !isNew, isEmpty { turns.removeAll { $0 == key } }
    return result
  }

  /// Returns whether there were any.
  @discardableResult
  package mutating func removeAll(where isMeant: (Element) -> Bool) -> Bool {
    var isChanged = false
    for key in turns where self[key].contains(where: isMeant) {
      edit(key) { $0.removeAll(where: isMeant) }
      isChanged = true
    }
    return isChanged
  }

  /// Ends the turn of the next key, from whose line nothing is taken.
  package mutating func passOver() { turns.append(turns.removeFirst()) }

  /// Removes and returns an element of the first line from which `choose` takes one, by default the first element of
  /// the first line. The key of that line then comes last; the others keep their places.
  package mutating func next(_ choose: (Key, [Element]) -> Int? = { _, _ in 0 }) -> Element? {
    for (place, key) in turns.enumerated() {
      guard let index = choose(key, self[key]) else { continue }
      turns.append(turns.remove(at: place))
      return edit(key) { $0.remove(at: index) }
    }
    return nil
  }
}
