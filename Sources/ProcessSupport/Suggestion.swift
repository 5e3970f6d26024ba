// SPDX-License-Identifier: Apache-2.0
/// Finds the word that a user meant.
nonisolated public enum Suggestion {
  /// The meaning of a word on the command line.
  public enum Match: Equatable {
    case found(String)
    /// Several words begin with it.
    case ambiguous([String])
    /// There is no such word; `nearest` is one that differs by no more than a slip.
    case unknown(nearest: String?)
  }

  /// Matches a word or an unambiguous beginning of one.
  public static func match(_ word: String, among words: [String]) -> Match {
    if words.contains(word) { return .found(word) }
    let longer = word.isEmpty ? [] : words.filter { $0.hasPrefix(word) }
    switch longer.count {
    case 1: return .found(longer[0])
    case 0:
      let nearest = words.map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
      return .unknown(nearest: nearest.flatMap { $0.1 <= max(1, $0.0.count / 3) ? $0.0 : nil })
    default: return .ambiguous(longer)
    }
  }

  /// Returns words as a sentence lists them: "a", "a or b", "a, b or c".
  public static func alternatives(_ words: [String]) -> String {
    let allButLast = words.dropLast().joined(separator: ", ")
    let last = words.last ?? ""
    return allButLast.isEmpty ? last : tr("\(allButLast) or \(last)")
  }

  /// Returns how many letters must be added, removed, replaced or swapped with their neighbour.
  static func distance(_ left: String, _ right: String) -> Int {
    let (a, b) = (Array(left.utf8.prefix(64)), Array(right.utf8.prefix(64)))
    var beforePrevious: [Int] = []
    var previous = Array(0...b.count)
    for (row, letter) in a.enumerated() {
      var current = [row + 1]
      for (column, other) in b.enumerated() {
        var best = min(previous[column + 1], current[column]) + 1
        best = min(best, previous[column] + (letter == other ? 0 : 1))
        if row > 0, column > 0, letter == b[column - 1], a[row - 1] == other {
          best = min(best, beforePrevious[column - 1] + 1)
        }
        current.append(best)
      }
      (beforePrevious, previous) = (previous, current)
    }
    return previous[b.count]
  }
}
