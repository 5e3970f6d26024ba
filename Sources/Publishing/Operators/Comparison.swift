// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes the greatest value according to an order when upstream finishes, or nothing if there are no values.
  public struct Comparison<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    /// Returns whether the second value replaces the first as the result.
    public let areInIncreasingOrder: (Upstream.Output, Upstream.Output) -> Bool

    public init(upstream: Upstream, areInIncreasingOrder: @escaping (Upstream.Output, Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.areInIncreasingOrder = areInIncreasingOrder
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      upstream.fold("Comparison", Upstream.Output?.none, subscriber, conclude: \.self) {
        [areInIncreasingOrder] value, greatest throws(Failure) in
        if greatest.map({ areInIncreasingOrder($0, value) }) ?? true { greatest = .some(value) }
        return nil
      }
    }
  }

  /// Like ``Comparison``, with a closure that may throw.
  public struct TryComparison<Upstream: Publisher>: Operator {
    public typealias Failure = any Error

    public let upstream: Upstream
    /// Returns whether the second value replaces the first as the result.
    public let areInIncreasingOrder: (Upstream.Output, Upstream.Output) throws -> Bool

    public init(upstream: Upstream, areInIncreasingOrder: @escaping (Upstream.Output, Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.areInIncreasingOrder = areInIncreasingOrder
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, any Error>>(subscriber: S) {
      upstream.tryFold("TryComparison", Upstream.Output?.none, subscriber, conclude: \.self) {
        [areInIncreasingOrder] value, greatest in
        if try greatest.map({ try areInIncreasingOrder($0, value) }) ?? true { greatest = .some(value) }
        return nil
      }
    }
  }
}

extension Publisher where Output: Comparable {
  /// Publishes the least value when this publisher finishes.
  public func min() -> Publishers.Comparison<Self> { min(by: <) }

  /// Publishes the greatest value when this publisher finishes.
  public func max() -> Publishers.Comparison<Self> { max(by: <) }
}

extension Publisher {
  /// Publishes the least value according to an order when this publisher finishes.
  public func min(by areInIncreasingOrder: @escaping (Output, Output) -> Bool) -> Publishers.Comparison<Self> {
    max { areInIncreasingOrder($1, $0) }
  }

  /// Like ``min(by:)``, but fails with the error that the closure throws.
  public func tryMin(
    by areInIncreasingOrder: @escaping (Output, Output) throws -> Bool
  ) -> Publishers.TryComparison<Self> {
    tryMax { try areInIncreasingOrder($1, $0) }
  }

  /// Publishes the greatest value according to an order when this publisher finishes.
  public func max(by areInIncreasingOrder: @escaping (Output, Output) -> Bool) -> Publishers.Comparison<Self> {
    Publishers.Comparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
  }

  /// Like ``max(by:)``, but fails with the error that the closure throws.
  public func tryMax(
    by areInIncreasingOrder: @escaping (Output, Output) throws -> Bool
  ) -> Publishers.TryComparison<Self> {
    Publishers.TryComparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
  }
}
