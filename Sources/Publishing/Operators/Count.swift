// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of the number of values, when its upstream finishes.
  public struct Count<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Int
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that the operator is applied to.
    public let upstream: Upstream

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: FoldLink(CountFold<Upstream.Output, Failure>(), Outlet(subscriber)))
    }
  }
}

extension Publishers.Count: Equatable where Upstream: Equatable {}

extension Publisher {
  /// Publishes the number of values, when this publisher finishes.
  @inlinable
  public func count() -> Publishers.Count<Self> {
    Publishers.Count(upstream: self)
  }
}

@usableFromInline
struct CountFold<Value, Failure: Error>: Fold, PlainRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Int
  @usableFromInline typealias Memory = Int

  @inlinable
  init() {}

  @inlinable
  static var label: String { "Count" }

  @inlinable
  func take(_ input: Value, _ count: inout Int) -> Ruling<Int, Failure> {
    count += 1
    return .goOn
  }

  @inlinable
  var start: Int { 0 }

  @inlinable
  func conclude(_ count: Int) -> Int? { count }
}
