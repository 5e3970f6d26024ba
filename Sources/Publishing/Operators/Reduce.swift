// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of the result of combining all values, when its upstream finishes.
  public struct Reduce<Upstream: Publisher, Output>: Publisher {
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// What the first value is combined with, and the result for an upstream without values.
    public let initial: Output
    /// What makes the next result of the last one and a value.
    public let nextPartialResult: (Output, Upstream.Output) -> Output

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream, initial: Output, nextPartialResult: @escaping (Output, Upstream.Output) -> Output) {
      self.upstream = upstream
      self.initial = initial
      self.nextPartialResult = nextPartialResult
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let fold = ReduceFold<_, Upstream.Output, Failure>(start: initial, nextPartialResult: nextPartialResult)
      upstream.receive(subscriber: FoldLink(fold, Outlet(subscriber)))
    }
  }

  /// A publisher that does what ``Reduce`` does with a closure that may throw, and fails with what it throws.
  public struct TryReduce<Upstream: Publisher, Output>: Publisher {
    /// It fails with whatever is thrown.
    public typealias Failure = any Error

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// What the first value is combined with, and the result for an upstream without values.
    public let initial: Output
    /// What makes the next result of the last one and a value.
    public let nextPartialResult: (Output, Upstream.Output) throws -> Output

    /// Applies the operator to `upstream`.
    @inlinable
    public init(
      upstream: Upstream, initial: Output, nextPartialResult: @escaping (Output, Upstream.Output) throws -> Output
    ) {
      self.upstream = upstream
      self.initial = initial
      self.nextPartialResult = nextPartialResult
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      let fold = TryReduceFold<_, Upstream.Output, Upstream.Failure>(
        start: initial, nextPartialResult: nextPartialResult)
      upstream.receive(subscriber: FoldLink(fold, Outlet(subscriber)))
    }
  }
}

extension Publisher {
  /// Combines all values and publishes the result when this publisher finishes.
  @inlinable
  public func reduce<T>(
    _ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T
  ) -> Publishers.Reduce<Self, T> {
    Publishers.Reduce(upstream: self, initial: initialResult, nextPartialResult: nextPartialResult)
  }

  /// Does what `reduce` does with a closure that may throw; the publisher fails with what it throws.
  @inlinable
  public func tryReduce<T>(
    _ initialResult: T, _ nextPartialResult: @escaping (T, Output) throws -> T
  ) -> Publishers.TryReduce<Self, T> {
    Publishers.TryReduce(upstream: self, initial: initialResult, nextPartialResult: nextPartialResult)
  }
}

@usableFromInline
struct ReduceFold<Output, Input, Failure: Error>: Fold, PlainRule {
  @usableFromInline typealias Memory = Output

  @usableFromInline let start: Output
  @usableFromInline let nextPartialResult: (Output, Input) -> Output

  @inlinable
  init(start: Output, nextPartialResult: @escaping (Output, Input) -> Output) {
    self.start = start
    self.nextPartialResult = nextPartialResult
  }

  @inlinable
  static var label: String { "Reduce" }

  @inlinable
  func take(_ input: Input, _ result: inout Output) -> Ruling<Output, Failure> {
    result = nextPartialResult(result, input)
    return .goOn
  }

  @inlinable
  func conclude(_ result: Output) -> Output? { .some(result) }
}

@usableFromInline
struct TryReduceFold<Output, Input, Failure: Error>: Fold, TryRule {
  @usableFromInline typealias Memory = Output

  @usableFromInline let start: Output
  @usableFromInline let nextPartialResult: (Output, Input) throws -> Output

  @inlinable
  init(start: Output, nextPartialResult: @escaping (Output, Input) throws -> Output) {
    self.start = start
    self.nextPartialResult = nextPartialResult
  }

  @inlinable
  static var label: String { "TryReduce" }

  @inlinable
  func take(_ input: Input, _ result: inout Output) -> Ruling<Output, any Error> {
    do {
      result = try nextPartialResult(result, input)
      return .goOn
    } catch {
      return .fail(error)
    }
  }

  @inlinable
  func conclude(_ result: Output) -> Output? { .some(result) }
}
