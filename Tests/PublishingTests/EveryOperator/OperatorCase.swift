// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

/// One operator between an upstream under the test's control and a downstream, and the expected results if the upstream
/// sends 1, 2, 3 at intervals of two seconds and then completes.
struct OperatorCase: Sendable, CustomTestStringConvertible {
  struct Traits: OptionSet, Sendable {
    let rawValue: Int
    /// Only the types change: the subscription, demand and even invalid events of the upstream pass unchanged.
    static let passesThrough = Traits(rawValue: 1)
    /// Has unlimited demand, and drops values that arrive without downstream demand.
    static let lossy = Traits(rawValue: 2)
    /// Ends itself before the upstream does, and cancels it.
    static let early = Traits(rawValue: 4)
    /// Stores a value, so that the end waits for demand.
    static let holdsEnd = Traits(rawValue: 8)
    /// Calls the upstream through the scheduler, so that a cancel arrives later.
    static let lateCancel = Traits(rawValue: 16)
    /// Shares one subscription among all; a later subscriber receives only the end.
    static let shares = Traits(rawValue: 32)
  }

  typealias Upstream = Probe<Int, TestError>

  let name: String
  let build: @Sendable (Upstream, TestScheduler) -> AnyPublisher<Int, TestError>
  let output: [Int]
  /// The values when the upstream fails after 3.
  let outputOnFailure: [Int]
  /// How it ends when the upstream finishes, and when the upstream fails with `.oops`.
  let end: Subscribers.Completion<TestError>
  let endOnFailure: Subscribers.Completion<TestError>
  /// The upstream's demand if the downstream requests two; nil if it is unspecified.
  let asks: String?
  let traits: Traits

  init<P: Publisher & SendableMetatype>(
    _ name: String, _ output: [Int], onFailure: [Int]? = nil,
    end: Subscribers.Completion<TestError> = .finished,
    endOnFailure: Subscribers.Completion<TestError>? = nil,
    asks: String? = "max(2)", _ traits: Traits = [],
    build: @escaping @Sendable (Upstream, TestScheduler) -> P
  ) where P.Output == Int, P.Failure == TestError {
    self.name = name
    self.build = { build($0, $1).eraseToAnyPublisher() }
    self.output = output
    self.outputOnFailure = onFailure ?? output
    self.end = end
    self.endOnFailure = endOnFailure ?? (traits.contains(.early) ? end : .failure(.oops))
    self.asks = asks
    self.traits = traits
  }

  /// A single result at the end: has unlimited demand and delays the end until there is demand for the result.
  static func answer<P: Publisher & SendableMetatype>(
    _ name: String, _ output: [Int], _ build: @escaping @Sendable (Upstream) -> P
  ) -> OperatorCase where P.Output == Int, P.Failure == TestError {
    OperatorCase(name, output, onFailure: [], asks: "unlimited", .holdsEnd) { up, _ in build(up) }
  }

  /// A single result before the end.
  static func earlyAnswer<P: Publisher & SendableMetatype>(
    _ name: String, _ output: [Int], _ build: @escaping @Sendable (Upstream) -> P
  ) -> OperatorCase where P.Output == Int, P.Failure == TestError {
    OperatorCase(name, output, asks: "unlimited", [.holdsEnd, .early]) { up, _ in build(up) }
  }

  /// A `try` form whose closure throws `.other` at 2.
  static func thrower<P: Publisher & SendableMetatype>(
    _ name: String, _ output: [Int], asks: String? = "max(2)", _ build: @escaping @Sendable (Upstream) -> P
  ) -> OperatorCase where P.Output == Int, P.Failure == any Error {
    OperatorCase(name, output, end: .failure(.other), asks: asks, .early) { up, _ in build(up).typed() }
  }

  var testDescription: String { name }

  static let all: [OperatorCase] =
    mapping + filtering + scanning + throwing + answering + earlyAnswering + dropping + taking + chaining + combining
    + recovering + timed + sharing + observing

  /// Operators that do more than change types.
  static let strict = all.filter { !$0.traits.contains(.passesThrough) }
}

extension Publisher where Failure == any Error {
  /// Restores the failure's type.
  func typed() -> Publishers.MapError<Self, TestError> { mapError { $0 as? TestError ?? .other } }
}

/// Returns `result`; throws `.other` at 2.
func refusingTwo<Result>(_ value: Int, _ result: Result) throws -> Result {
  if value == 2 { throw TestError.other }
  return result
}
