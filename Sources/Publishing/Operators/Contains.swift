// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes `true` as soon as a given value arrives, or `false` at the end.
  public struct Contains<Upstream: Publisher>: Operator where Upstream.Output: Equatable {
    public typealias Output = Bool

    public let upstream: Upstream
    public let output: Upstream.Output

    public init(upstream: Upstream, output: Upstream.Output) {
      self.upstream = upstream
      self.output = output
    }

    @inlinable
    public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
      upstream.fold("Contains", (), subscriber, atEnd: false) { [output] value, _ throws(Failure) in
        value == output ? true : nil
      }
    }
  }

  /// Publishes `true` at the first value for which a predicate returns `true`, or `false` at the end.
  public struct ContainsWhere<Upstream: Publisher>: Operator {
    public typealias Output = Bool

    public let upstream: Upstream
    public let predicate: (Upstream.Output) -> Bool

    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
      upstream.fold("ContainsWhere", (), subscriber, atEnd: false) { [predicate] value, _ throws(Failure) in
        predicate(value) ? true : nil
      }
    }
  }

  /// Like ``ContainsWhere``, with a predicate that may throw.
  public struct TryContainsWhere<Upstream: Publisher>: Publisher {
    public typealias Output = Bool
    public typealias Failure = any Error

    public let upstream: Upstream
    public let predicate: (Upstream.Output) throws -> Bool

    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber<Output, any Error>>(subscriber: S) {
      upstream.tryFold("TryContainsWhere", (), subscriber, atEnd: false) { [predicate] value, _ in
        try predicate(value) ? true : nil
      }
    }
  }
}

extension Publishers.Contains: Equatable where Upstream: Equatable {}

extension Publisher where Output: Equatable {
  /// Publishes whether this publisher publishes the given value.
  public func contains(_ output: Output) -> Publishers.Contains<Self> {
    Publishers.Contains(upstream: self, output: output)
  }
}

extension Publisher {
  /// Publishes whether a predicate returns `true` for any value.
  public func contains(where predicate: @escaping (Output) -> Bool) -> Publishers.ContainsWhere<Self> {
    Publishers.ContainsWhere(upstream: self, predicate: predicate)
  }

  /// Like ``contains(where:)``, but fails with the error that the predicate throws.
  public func tryContains(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryContainsWhere<Self> {
    Publishers.TryContainsWhere(upstream: self, predicate: predicate)
  }
}
