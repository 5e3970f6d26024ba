// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes values as long as a predicate returns `true`, then finishes.
  public struct PrefixWhile<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    public let predicate: (Upstream.Output) -> Bool

    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      upstream.step("PrefixWhile", (), subscriber) { [predicate] value, _ throws(Failure) in
        predicate(value) ? .pass(value) : .finish
      }
    }
  }

  /// Like ``PrefixWhile``, with a predicate that may throw.
  public struct TryPrefixWhile<Upstream: Publisher>: Operator {
    public typealias Failure = any Error

    public let upstream: Upstream
    public let predicate: (Upstream.Output) throws -> Bool

    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, any Error>>(subscriber: S) {
      upstream.tryStep("TryPrefixWhile", (), subscriber) { [predicate] value, _ in
        try predicate(value) ? .pass(value) : .finish
      }
    }
  }
}

extension Publisher {
  /// Publishes values as long as a predicate returns `true`, then finishes.
  public func prefix(while predicate: @escaping (Output) -> Bool) -> Publishers.PrefixWhile<Self> {
    Publishers.PrefixWhile(upstream: self, predicate: predicate)
  }

  /// Like ``prefix(while:)``, but fails with the error that the predicate throws.
  public func tryPrefix(while predicate: @escaping (Output) throws -> Bool) -> Publishers.TryPrefixWhile<Self> {
    Publishers.TryPrefixWhile(upstream: self, predicate: predicate)
  }
}
