// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Drops a value that equals the one received before it.
  ///
  /// Compares with the last value *received*, even if it was dropped, so slow drift never passes.
  public struct RemoveDuplicates<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    /// Returns whether two values count as equal; called with the earlier one first.
    public let predicate: (Upstream.Output, Upstream.Output) -> Bool

    public init(upstream: Upstream, predicate: @escaping (Upstream.Output, Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      upstream.step("RemoveDuplicates", Upstream.Output?.none, subscriber) { [predicate] value, last throws(Failure) in
        let isRepeated = last.map { predicate($0, value) } ?? false
        last = .some(value)
        return isRepeated ? .skip : .pass(value)
      }
    }
  }

  /// Like ``RemoveDuplicates``, with a predicate that may throw.
  public struct TryRemoveDuplicates<Upstream: Publisher>: Operator {
    public typealias Failure = any Error

    public let upstream: Upstream
    /// Returns whether two values count as equal; called with the earlier one first.
    public let predicate: (Upstream.Output, Upstream.Output) throws -> Bool

    public init(upstream: Upstream, predicate: @escaping (Upstream.Output, Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, any Error>>(subscriber: S) {
      upstream.tryStep("TryRemoveDuplicates", Upstream.Output?.none, subscriber) { [predicate] value, last in
        let isRepeated = try last.map { try predicate($0, value) } ?? false
        last = .some(value)
        return isRepeated ? .skip : .pass(value)
      }
    }
  }
}

extension Publisher where Output: Equatable {
  /// Drops a value that equals the one received before it.
  public func removeDuplicates() -> Publishers.RemoveDuplicates<Self> { removeDuplicates(by: ==) }
}

extension Publisher {
  /// Drops a value that counts as equal to the one received before it. Not suitable for thresholds: see
  /// ``Publishers/RemoveDuplicates``.
  public func removeDuplicates(by predicate: @escaping (Output, Output) -> Bool) -> Publishers.RemoveDuplicates<Self> {
    Publishers.RemoveDuplicates(upstream: self, predicate: predicate)
  }

  /// Like ``removeDuplicates(by:)``, but fails with the error that the predicate throws.
  public func tryRemoveDuplicates(
    by predicate: @escaping (Output, Output) throws -> Bool
  ) -> Publishers.TryRemoveDuplicates<Self> {
    Publishers.TryRemoveDuplicates(upstream: self, predicate: predicate)
  }
}
