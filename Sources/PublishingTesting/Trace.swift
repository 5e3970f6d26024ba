// SPDX-License-Identifier: Apache-2.0
import Publishing

/// The events of a test, in order and in short form: `1 2 end`.
///
/// A ``Recorder`` adds each value as it describes itself, and `end` or `fail` for the completion. ``mark()`` adds `|`,
/// which separates the steps of the test. Several recorders may share a trace.
public final class Trace {
  /// The added entries, in order.
  public private(set) var entries: [String] = []

  /// Creates an empty trace.
  public init() {}

  /// Adds an entry.
  public func add(_ entry: String) { entries.append(entry) }

  /// Adds `|`.
  public func mark() { add("|") }

  /// Removes all entries.
  public func clear() { entries = [] }

  /// All entries with spaces between them.
  public var text: String { entries.joined(separator: " ") }

  /// Returns how often an entry was added.
  public func count(of entry: String) -> Int { entries.count { $0 == entry } }
}

extension Subscribers.Demand {
  /// `unlimited` or `max(n)`, for a `Trace`.
  public var traced: String { max.map { "max(\($0))" } ?? "unlimited" }
}

extension Subscribers.Completion {
  /// `end` or `fail`, for a `Trace`.
  public var traced: String {
    switch self {
    case .finished: "end"
    case .failure: "fail"
    }
  }
}
