// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of everything that the publishers publish which a closure makes of the values, as it comes. It ends
  /// when all have ended, or when one fails.
  public struct FlatMap<NewPublisher: Publisher, Upstream: Publisher>: Publisher
  where NewPublisher.Failure == Upstream.Failure {
    /// What it publishes.
    public typealias Output = NewPublisher.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// How many of them run at the same time.
    public let maxPublishers: Subscribers.Demand
    /// What makes a publisher of a value.
    public let transform: (Upstream.Output) -> NewPublisher

    /// Applies the operator to `upstream`.
    @inlinable
    public init(
      upstream: Upstream, maxPublishers: Subscribers.Demand, transform: @escaping (Upstream.Output) -> NewPublisher
    ) {
      self.upstream = upstream
      self.maxPublishers = maxPublishers
      self.transform = transform
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let merger = Merger("FlatMap", open: 1, Outlet(subscriber))
      let outer = FlatMapOuter(merger, maxPublishers, transform)
      merger.outer = outer
      upstream.receive(subscriber: outer)
    }
  }
}

extension Publisher {
  /// Makes a publisher of each value, and publishes what all of them publish.
  @inlinable
  public func flatMap<T, P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where T == P.Output, Failure == P.Failure {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
  }

  /// Makes a publisher that cannot fail of each value, and publishes what all of them publish.
  @inlinable
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers) { transform($0).setFailureType(to: Failure.self) }
  }
}

extension Publisher where Failure == Never {
  /// Makes a publisher of each value, and publishes what all of them publish.
  @inlinable
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
    setFailureType(to: P.Failure.self).flatMap(maxPublishers: maxPublishers, transform)
  }

  /// Makes a publisher that cannot fail of each value, and publishes what all of them publish.
  @inlinable
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where P.Failure == Never {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
  }
}

/// Makes a side of the merger of each value.
@usableFromInline
final class FlatMapOuter<Input, Child: Publisher, Downstream: Subscriber>: Link, Subscriber
where Child.Output == Downstream.Input, Child.Failure == Downstream.Failure {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let merger: Merger<Downstream>
  @usableFromInline let maxPublishers: Subscribers.Demand
  @usableFromInline let transform: (Input) -> Child

  @inlinable
  init(_ merger: Merger<Downstream>, _ maxPublishers: Subscribers.Demand, _ transform: @escaping (Input) -> Child) {
    self.merger = merger
    self.maxPublishers = maxPublishers
    self.transform = transform
    super.init()
    // The place of a child that has ended is taken by the next.
    if maxPublishers != .unlimited { merger.whenSideEnds = { [unowned self] in request(.max(1)) } }
  }

  @inlinable
  func receive(subscription: any Subscription) {
    guard attach(subscription) else { return }
    merger.downstream.receive(subscription: merger)
    if phase == .live, maxPublishers > .none { subscription.request(maxPublishers) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    let child = transform(input)
    guard phase == .live else { return .none }
    merger.open += 1
    merger.subscribe(to: child)
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    _ = detach()
    switch completion {
    case .finished: merger.endOne()
    case .failure(let error): merger.fail(error)
    }
  }

  @usableFromInline
  override var description: String { "FlatMap" }
}
