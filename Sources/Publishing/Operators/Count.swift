// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes the number of values when upstream finishes.
  public struct Count<Upstream: Publisher>: Operator {
    public typealias Output = Int

    public let upstream: Upstream

    public init(upstream: Upstream) { self.upstream = upstream }

    @inlinable
    public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
      upstream.fold("Count", 0, subscriber, conclude: Optional.some) { _, count throws(Failure) in
        count += 1
        return nil
      }
    }
  }
}

extension Publishers.Count: Equatable where Upstream: Equatable {}

extension Publisher {
  /// Publishes the number of values when this publisher finishes.
  public func count() -> Publishers.Count<Self> { Publishers.Count(upstream: self) }
}
