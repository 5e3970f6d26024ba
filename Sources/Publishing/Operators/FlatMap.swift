// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes everything from the publishers that a closure creates from the values. Ends when all have ended, or when
  /// one fails.
  public struct FlatMap<NewPublisher: Publisher, Upstream: Publisher>: Operator
  where NewPublisher.Failure == Upstream.Failure {
    public typealias Output = NewPublisher.Output

    public let upstream: Upstream
    /// The maximum number of publishers that run at the same time.
    public let maxPublishers: Subscribers.Demand
    public let transform: (Upstream.Output) -> NewPublisher

    public init(
      upstream: Upstream, maxPublishers: Subscribers.Demand, transform: @escaping (Upstream.Output) -> NewPublisher
    ) {
      self.upstream = upstream
      self.maxPublishers = maxPublishers
      self.transform = transform
    }

    @inlinable
    public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
      let merger = Merger("FlatMap", open: 1, subscriber)
      guard !merger.isDone else { return }
      let outer = FlatMapOuter(merger, maxPublishers, transform)
      merger.outer = outer
      merger.replacesSides = maxPublishers != .unlimited
      upstream.receive(subscriber: outer)
    }
  }
}

extension Publisher {
  /// Creates a publisher from each value and publishes everything from all of them.
  public func flatMap<T, P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where T == P.Output, Failure == P.Failure {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
  }

  /// Creates a publisher that cannot fail from each value and publishes everything from all of them.
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers) { transform($0).setFailureType(to: Failure.self) }
  }
}

extension Publisher where Failure == Never {
  /// Creates a publisher from each value and publishes everything from all of them.
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
    setFailureType(to: P.Failure.self).flatMap(maxPublishers: maxPublishers, transform)
  }

  /// Creates a publisher that cannot fail from each value and publishes everything from all of them.
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where P.Failure == Never {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
  }
}

/// Subscribes the merger to one publisher for each value.
@usableFromInline
final class FlatMapOuter<Input, Child: Publisher>: Link, Subscriber {
  @usableFromInline typealias Failure = Child.Failure

  @usableFromInline let merger: Merger<Child.Output, Failure>
  @usableFromInline let maxPublishers: Subscribers.Demand
  @usableFromInline let transform: (Input) -> Child

  @inlinable
  init(
    _ merger: Merger<Child.Output, Failure>, _ maxPublishers: Subscribers.Demand,
    _ transform: @escaping (Input) -> Child
  ) {
    self.merger = merger
    self.maxPublishers = maxPublishers
    self.transform = transform
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if attach(subscription), maxPublishers > .none { subscription.request(maxPublishers) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    let child = transform(input)
    guard phase == .live else { return .none }
    merger.open += 1
    merger.add(child)
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    _ = detach()
    merger.endOne(completion)
  }

  @usableFromInline override var description: String { "FlatMap" }
}
