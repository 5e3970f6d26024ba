// SPDX-License-Identifier: Apache-2.0
import Publishing

/// What happened in a test, in order and in few words.
///
/// Values stand as they describe themselves, `end` and `fail` are completions, `up:sub`, `up:max(1)`, `up:unlimited`
/// and `up:cancel` are what a ``Probe`` named `up` was asked, `|` separates what the test did itself.
public final class Trace {
  public private(set) var entries: [String] = []

  public init() {}

  public func add(_ entry: String) { entries.append(entry) }

  public func mark() { add("|") }

  public func clear() { entries = [] }

  public var text: String { entries.joined(separator: " ") }

  /// How often `entry` was noted.
  public func count(of entry: String) -> Int { entries.count { $0 == entry } }
}

extension Subscribers.Demand {
  /// `unlimited` or `max(n)`.
  public var traced: String { max.map { "max(\($0))" } ?? "unlimited" }
}

extension Subscribers.Completion {
  /// `end` or `fail`.
  public var traced: String {
    switch self {
    case .finished: "end"
    case .failure: "fail"
    }
  }
}

/// The failure of most tests.
public enum TestError: Error, Equatable, Sendable {
  case oops
  case other
}
