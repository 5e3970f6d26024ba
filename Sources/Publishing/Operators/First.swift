// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes the first value and finishes.
  public struct First<Upstream: Publisher>: Operator {
    public let upstream: Upstream

    public init(upstream: Upstream) { self.upstream = upstream }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      upstream.fold("First", (), subscriber) { value, _ throws(Failure) in .some(value) }
    }
  }

  /// Publishes the first value for which a predicate returns `true`, and finishes.
  public struct FirstWhere<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    public let predicate: (Upstream.Output) -> Bool

    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      upstream.fold("FirstWhere", (), subscriber) { [predicate] value, _ throws(Failure) in
        predicate(value) ? .some(value) : nil
      }
    }
  }

  /// Like ``FirstWhere``, with a predicate that may throw.
  public struct TryFirstWhere<Upstream: Publisher>: Operator {
    public typealias Failure = any Error

    public let upstream: Upstream
    public let predicate: (Upstream.Output) throws -> Bool

    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, any Error>>(subscriber: S) {
      upstream.tryFold("TryFirstWhere", (), subscriber) { [predicate] value, _ in
        try predicate(value) ? .some(value) : nil
      }
    }
  }
}

extension Publishers.First: Equatable where Upstream: Equatable {}

extension Publisher {
  /// Publishes the first value and finishes.
  public func first() -> Publishers.First<Self> { Publishers.First(upstream: self) }

  /// Publishes the first value for which a predicate returns `true`, and finishes.
  public func first(where predicate: @escaping (Output) -> Bool) -> Publishers.FirstWhere<Self> {
    Publishers.FirstWhere(upstream: self, predicate: predicate)
  }

  /// Like ``first(where:)``, but fails with the error that the predicate throws.
  public func tryFirst(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryFirstWhere<Self> {
    Publishers.TryFirstWhere(upstream: self, predicate: predicate)
  }
}
