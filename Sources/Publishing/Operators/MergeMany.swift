// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of everything that any number of publishers of one kind publish, as it comes. It ends when all have
  /// ended, or when one fails.
  public struct MergeMany<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publishers, in the order in which they are subscribed to.
    public let publishers: [Upstream]

    /// Merges publishers.
    @inlinable
    public init(_ upstream: Upstream...) { publishers = upstream }

    /// Merges publishers.
    @inlinable
    public init<S: Swift.Sequence>(_ upstream: S) where S.Element == Upstream { publishers = Array(upstream) }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let merger = Merger("Merge", open: publishers.count, Outlet(subscriber))
      subscriber.receive(subscription: merger)
      for publisher in publishers { merger.subscribe(to: publisher) }
      merger.finishIfOver()
    }

    /// Merges one more, as one operator.
    @inlinable
    public func merge(with other: Upstream) -> MergeMany<Upstream> { MergeMany(publishers + [other]) }
  }
}

extension Publishers.MergeMany: Equatable where Upstream: Equatable {}

extension Publisher {
  /// Publishes what this and another publisher of its kind publish, as it comes.
  @inlinable
  public func merge(with other: Self) -> Publishers.MergeMany<Self> { Publishers.MergeMany(self, other) }
}
