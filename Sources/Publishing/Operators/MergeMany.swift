// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes everything from any number of publishers of one type. Ends when all have ended, or when one fails.
  public struct MergeMany<Upstream: Publisher>: Operator {
    /// The publishers, in the order in which they are subscribed to.
    public let publishers: [Upstream]

    public init(_ upstream: Upstream...) { publishers = upstream }

    public init<S: Swift.Sequence<Upstream>>(_ upstream: S) { publishers = Array(upstream) }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      let merger = Merger("Merge", open: publishers.count, subscriber)
      for publisher in publishers { merger.add(publisher) }
      merger.endIfOver()
    }

    public func merge(with other: Upstream) -> MergeMany<Upstream> { MergeMany(publishers + [other]) }
  }
}

extension Publishers.MergeMany: Equatable where Upstream: Equatable {}

extension Publisher {
  /// Publishes everything from this and another publisher of its type.
  public func merge(with other: Self) -> Publishers.MergeMany<Self> { Publishers.MergeMany(self, other) }
}
