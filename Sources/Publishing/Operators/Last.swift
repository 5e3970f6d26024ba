// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes the last value when upstream finishes.
  public struct Last<Upstream: Publisher>: Operator {
    public let upstream: Upstream

    public init(upstream: Upstream) { self.upstream = upstream }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      upstream.fold("Last", Upstream.Output?.none, subscriber, conclude: \.self) { value, last throws(Failure) in
        last = .some(value)
        return nil
      }
    }
  }

  /// Publishes the last value for which a predicate returns `true`, when upstream finishes.
  public struct LastWhere<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    public let predicate: (Upstream.Output) -> Bool

    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      upstream.fold("LastWhere", Upstream.Output?.none, subscriber, conclude: \.self) {
        [predicate] value, last throws(Failure) in
        if predicate(value) { last = .some(value) }
        return nil
      }
    }
  }

  /// Like ``LastWhere``, with a predicate that may throw.
  public struct TryLastWhere<Upstream: Publisher>: Operator {
    public typealias Failure = any Error

    public let upstream: Upstream
    public let predicate: (Upstream.Output) throws -> Bool

    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, any Error>>(subscriber: S) {
      upstream.tryFold("TryLastWhere", Upstream.Output?.none, subscriber, conclude: \.self) { [predicate] value, last in
        if try predicate(value) { last = .some(value) }
        return nil
      }
    }
  }
}

extension Publishers.Last: Equatable where Upstream: Equatable {}

extension Publisher {
  /// Publishes the last value when this publisher finishes.
  public func last() -> Publishers.Last<Self> { Publishers.Last(upstream: self) }

  /// Publishes the last value for which a predicate returns `true`, when this publisher finishes.
  public func last(where predicate: @escaping (Output) -> Bool) -> Publishers.LastWhere<Self> {
    Publishers.LastWhere(upstream: self, predicate: predicate)
  }

  /// Like ``last(where:)``, but fails with the error that the predicate throws.
  public func tryLast(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryLastWhere<Self> {
    Publishers.TryLastWhere(upstream: self, predicate: predicate)
  }
}
