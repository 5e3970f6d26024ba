// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes `false` at the first value that does not satisfy a predicate, or `true` at the end.
  public struct AllSatisfy<Upstream: Publisher>: Operator {
    public typealias Output = Bool

    public let upstream: Upstream
    public let predicate: (Upstream.Output) -> Bool

    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
      upstream.fold("AllSatisfy", (), subscriber, atEnd: true) { [predicate] value, _ throws(Failure) in
        predicate(value) ? nil : false
      }
    }
  }

  /// Like ``AllSatisfy``, with a predicate that may throw.
  public struct TryAllSatisfy<Upstream: Publisher>: Publisher {
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
      upstream.tryFold("TryAllSatisfy", (), subscriber, atEnd: true) { [predicate] value, _ in
        try predicate(value) ? nil : false
      }
    }
  }
}

extension Publisher {
  /// Publishes whether a predicate returns `true` for all values.
  public func allSatisfy(_ predicate: @escaping (Output) -> Bool) -> Publishers.AllSatisfy<Self> {
    Publishers.AllSatisfy(upstream: self, predicate: predicate)
  }

  /// Like ``allSatisfy(_:)``, but fails with the error that the predicate throws.
  public func tryAllSatisfy(_ predicate: @escaping (Output) throws -> Bool) -> Publishers.TryAllSatisfy<Self> {
    Publishers.TryAllSatisfy(upstream: self, predicate: predicate)
  }
}
