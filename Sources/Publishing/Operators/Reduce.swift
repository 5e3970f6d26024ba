// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes the result of combining all values when upstream finishes.
  public struct Reduce<Upstream: Publisher, Output>: Operator {
    public let upstream: Upstream
    /// The value to combine with the first one, and the result if upstream has no values.
    public let initial: Output
    public let nextPartialResult: (Output, Upstream.Output) -> Output

    public init(upstream: Upstream, initial: Output, nextPartialResult: @escaping (Output, Upstream.Output) -> Output) {
      self.upstream = upstream
      self.initial = initial
      self.nextPartialResult = nextPartialResult
    }

    @inlinable
    public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
      upstream.fold("Reduce", initial, subscriber, conclude: Optional.some) {
        [next = nextPartialResult] value, result throws(Failure) in
        result = next(result, value)
        return nil
      }
    }
  }

  /// Like ``Reduce``, with a closure that may throw.
  public struct TryReduce<Upstream: Publisher, Output>: Publisher {
    public typealias Failure = any Error

    public let upstream: Upstream
    /// The value to combine with the first one, and the result if upstream has no values.
    public let initial: Output
    public let nextPartialResult: (Output, Upstream.Output) throws -> Output

    public init(
      upstream: Upstream, initial: Output, nextPartialResult: @escaping (Output, Upstream.Output) throws -> Output
    ) {
      self.upstream = upstream
      self.initial = initial
      self.nextPartialResult = nextPartialResult
    }

    @inlinable
    public func receive<S: Subscriber<Output, any Error>>(subscriber: S) {
      upstream.tryFold("TryReduce", initial, subscriber, conclude: Optional.some) {
        [next = nextPartialResult] value, result in
        result = try next(result, value)
        return nil
      }
    }
  }
}

extension Publisher {
  /// Combines all values, and publishes the result when this publisher finishes.
  public func reduce<T>(
    _ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T
  ) -> Publishers.Reduce<Self, T> {
    Publishers.Reduce(upstream: self, initial: initialResult, nextPartialResult: nextPartialResult)
  }

  /// Like ``reduce(_:_:)``, but fails with the error that the closure throws.
  public func tryReduce<T>(
    _ initialResult: T, _ nextPartialResult: @escaping (T, Output) throws -> T
  ) -> Publishers.TryReduce<Self, T> {
    Publishers.TryReduce(upstream: self, initial: initialResult, nextPartialResult: nextPartialResult)
  }
}
