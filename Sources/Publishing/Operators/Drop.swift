// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of everything but the first values.
  public struct Drop<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// How many values are dropped.
    public let count: Int

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream, count: Int) {
      self.upstream = upstream
      self.count = count
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: DropLink(count, Outlet(subscriber)))
    }
  }
}

extension Publishers.Drop: Equatable where Upstream: Equatable {}

extension Publisher {
  /// Drops the first `count` values.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> {
    precondition(count >= 0, "count must not be negative")
    return Publishers.Drop(upstream: self, count: count)
  }
}

extension Publishers.Drop {
  /// Drops more values, as one operator.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Upstream> {
    precondition(count >= 0, "count must not be negative")
    return Publishers.Drop(upstream: upstream, count: self.count + count)
  }
}

/// Asks for as many values more as it drops, together with the first request.
@usableFromInline
final class DropLink<Downstream: Subscriber>: Link, Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @exclusivity(unchecked) @usableFromInline var toDrop: Int
  @usableFromInline var toAskBeside: Int
  @usableFromInline let downstream: Downstream

  @inlinable
  init(_ count: Int, _ downstream: Downstream) {
    toDrop = count
    toAskBeside = count
    self.downstream = downstream
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if attach(subscription) { downstream.receive(subscription: self) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    if toDrop > 0 {
      toDrop -= 1
      return .none
    }
    return downstream.receive(input)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    _ = detach()
    downstream.receive(completion: completion)
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    demand.mustBePositive()
    guard phase == .live else { return }
    let beside = toAskBeside
    toAskBeside = 0
    upstream?.request(demand + beside)
  }

  @usableFromInline
  override var description: String { "Drop" }
}
