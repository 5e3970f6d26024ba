// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of the greatest value in an order, when its upstream finishes; of nothing if there is none.
  public struct Comparison<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// Whether the second value replaces the first as the answer.
    public let areInIncreasingOrder: (Upstream.Output, Upstream.Output) -> Bool

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream, areInIncreasingOrder: @escaping (Upstream.Output, Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.areInIncreasingOrder = areInIncreasingOrder
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(
        subscriber: FoldLink(ComparisonFold<_, Failure>(areInIncreasingOrder: areInIncreasingOrder), Outlet(subscriber))
      )
    }
  }

  /// A publisher that does what ``Comparison`` does with a closure that may throw, and fails with what it throws.
  public struct TryComparison<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// It fails with whatever is thrown.
    public typealias Failure = any Error

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// Whether the second value replaces the first as the answer.
    public let areInIncreasingOrder: (Upstream.Output, Upstream.Output) throws -> Bool

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream, areInIncreasingOrder: @escaping (Upstream.Output, Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.areInIncreasingOrder = areInIncreasingOrder
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      let fold = TryComparisonFold<_, Upstream.Failure>(areInIncreasingOrder: areInIncreasingOrder)
      upstream.receive(subscriber: FoldLink(fold, Outlet(subscriber)))
    }
  }
}

extension Publisher where Output: Comparable {
  /// Publishes the least value, when this publisher finishes.
  @inlinable
  public func min() -> Publishers.Comparison<Self> {
    min(by: <)
  }

  /// Publishes the greatest value, when this publisher finishes.
  @inlinable
  public func max() -> Publishers.Comparison<Self> {
    max(by: <)
  }
}

extension Publisher {
  /// Publishes the least value in an order, when this publisher finishes.
  @inlinable
  public func min(by areInIncreasingOrder: @escaping (Output, Output) -> Bool) -> Publishers.Comparison<Self> {
    max { areInIncreasingOrder($1, $0) }
  }

  /// Publishes the least value in an order, when this publisher finishes; it fails with what the closure throws.
  @inlinable
  public func tryMin(
    by areInIncreasingOrder: @escaping (Output, Output) throws -> Bool
  ) -> Publishers.TryComparison<Self> {
    tryMax { try areInIncreasingOrder($1, $0) }
  }

  /// Publishes the greatest value in an order, when this publisher finishes.
  @inlinable
  public func max(by areInIncreasingOrder: @escaping (Output, Output) -> Bool) -> Publishers.Comparison<Self> {
    Publishers.Comparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
  }

  /// Publishes the greatest value in an order, when this publisher finishes; it fails with what the closure throws.
  @inlinable
  public func tryMax(
    by areInIncreasingOrder: @escaping (Output, Output) throws -> Bool
  ) -> Publishers.TryComparison<Self> {
    Publishers.TryComparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
  }
}

@usableFromInline
struct ComparisonFold<Value, Failure: Error>: Fold, PlainRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Value
  @usableFromInline typealias Memory = Value?

  @usableFromInline let areInIncreasingOrder: (Value, Value) -> Bool

  @inlinable
  init(areInIncreasingOrder: @escaping (Value, Value) -> Bool) { self.areInIncreasingOrder = areInIncreasingOrder }

  @inlinable
  static var label: String { "Comparison" }

  @inlinable
  func take(_ input: Value, _ greatest: inout Value?) -> Ruling<Value, Failure> {
    if let greatest, !areInIncreasingOrder(greatest, input) { return .goOn }
    greatest = .some(input)
    return .goOn
  }

  @inlinable
  var start: Value? { nil }

  @inlinable
  func conclude(_ greatest: Value?) -> Value? { greatest }
}

@usableFromInline
struct TryComparisonFold<Value, Failure: Error>: Fold, TryRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Value
  @usableFromInline typealias Memory = Value?

  @usableFromInline let areInIncreasingOrder: (Value, Value) throws -> Bool

  @inlinable
  init(areInIncreasingOrder: @escaping (Value, Value) throws -> Bool) {
    self.areInIncreasingOrder = areInIncreasingOrder
  }

  @inlinable
  static var label: String { "TryComparison" }

  @inlinable
  func take(_ input: Value, _ greatest: inout Value?) -> Ruling<Value, any Error> {
    do {
      if let greatest, try !areInIncreasingOrder(greatest, input) { return .goOn }
      greatest = .some(input)
      return .goOn
    } catch {
      return .fail(error)
    }
  }

  @inlinable
  var start: Value? { nil }

  @inlinable
  func conclude(_ greatest: Value?) -> Value? { greatest }
}
