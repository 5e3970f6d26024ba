// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Drops values as long as a predicate returns `true`.
  public struct DropWhile<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    public let predicate: (Upstream.Output) -> Bool

    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      upstream.step("DropWhile", true, subscriber) { [predicate] value, isDropping throws(Failure) in
        isDropping = isDropping && predicate(value)
        return isDropping ? .skip : .pass(value)
      }
    }
  }

  /// Like ``DropWhile``, with a predicate that may throw.
  public struct TryDropWhile<Upstream: Publisher>: Operator {
    public typealias Failure = any Error

    public let upstream: Upstream
    public let predicate: (Upstream.Output) throws -> Bool

    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, any Error>>(subscriber: S) {
      upstream.tryStep("TryDropWhile", true, subscriber) { [predicate] value, isDropping in
        isDropping = try isDropping && predicate(value)
        return isDropping ? .skip : .pass(value)
      }
    }
  }
}

extension Publisher {
  /// Drops values as long as a predicate returns `true`, then publishes everything.
  public func drop(while predicate: @escaping (Output) -> Bool) -> Publishers.DropWhile<Self> {
    Publishers.DropWhile(upstream: self, predicate: predicate)
  }

  /// Like ``drop(while:)``, but fails with the error that the predicate throws.
  public func tryDrop(while predicate: @escaping (Output) throws -> Bool) -> Publishers.TryDropWhile<Self> {
    Publishers.TryDropWhile(upstream: self, predicate: predicate)
  }
}
