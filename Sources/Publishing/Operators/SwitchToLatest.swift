// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of what the newest of the publishers publishes that its upstream publishes. It ends when its upstream
  /// and the newest have ended, or when one fails.
  public struct SwitchToLatest<P: Publisher, Upstream: Publisher>: Publisher
  where Upstream.Output == P, Upstream.Failure == P.Failure {
    /// What it publishes.
    public typealias Output = P.Output
    /// What it can fail with.
    public typealias Failure = P.Failure

    /// The publisher that the operator is applied to.
    public let upstream: Upstream

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: SwitchToLatestLink<P, _>(Outlet(subscriber)))
    }
  }
}

extension Publisher where Output: Publisher, Output.Failure == Failure {
  /// Publishes what the newest of the published publishers publishes; the one before it is cancelled.
  @inlinable
  public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.SwitchToLatest(upstream: self)
  }
}

extension Publisher where Output: Publisher, Output.Failure == Never {
  /// Publishes what the newest of the published publishers publishes; the one before it is cancelled.
  @inlinable
  public func switchToLatest()
    -> Publishers.SwitchToLatest<
      Publishers.SetFailureType<Output, Failure>, Publishers.Map<Self, Publishers.SetFailureType<Output, Failure>>
    >
  {
    Publishers.SwitchToLatest(upstream: map { $0.setFailureType(to: Failure.self) })
  }
}

extension Publisher where Failure == Never, Output: Publisher {
  /// Publishes what the newest of the published publishers publishes; the one before it is cancelled.
  @inlinable
  public func switchToLatest() -> Publishers.SwitchToLatest<Output, Publishers.SetFailureType<Self, Output.Failure>> {
    Publishers.SwitchToLatest(upstream: setFailureType(to: Output.Failure.self))
  }
}

extension Publisher where Failure == Never, Output: Publisher, Output.Failure == Never {
  /// Publishes what the newest of the published publishers publishes; the one before it is cancelled.
  @inlinable
  public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.SwitchToLatest(upstream: self)
  }
}

@usableFromInline
final class SwitchToLatestLink<Child: Publisher, Downstream: Subscriber>: Link, Subscriber
where Child.Output == Downstream.Input, Child.Failure == Downstream.Failure {
  @usableFromInline typealias Input = Child
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline var side: SwitchToLatestSide<Child, Downstream>?
  @exclusivity(unchecked) @usableFromInline var demand = Subscribers.Demand.none

  @inlinable
  init(_ downstream: Downstream) { self.downstream = downstream }

  @inlinable
  func receive(subscription: any Subscription) {
    guard attach(subscription) else { return }
    downstream.receive(subscription: self)
    if phase == .live { subscription.request(.unlimited) }
  }

  @inlinable
  func receive(_ child: Child) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    let last = side
    let next = SwitchToLatestSide<Child, Downstream>(self)
    side = next
    last?.cancel()
    // Cancelling may have cancelled us, or brought a newer child.
    if phase == .live, side === next { child.receive(subscriber: next) }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    switch completion {
    case .finished:
      // What the newest child still has to say is heard.
      phase = .ending
      upstream = nil
      if side == nil { finish() }
    case .failure(let error):
      upstream = nil
      fail(error)
    }
  }

  @inlinable
  func receiveFromSide(_ value: Child.Output) -> Subscribers.Demand {
    demand.spendOne()
    let more = downstream.receive(value)
    demand += more
    return more
  }

  @inlinable
  func sideEnded(_ completion: Subscribers.Completion<Failure>) {
    side = nil
    switch completion {
    case .finished: if phase == .ending { finish() }
    case .failure(let error): fail(error)
    }
  }

  @inlinable
  func finish() {
    phase = .done
    downstream.receive(completion: .finished)
  }

  @inlinable
  func fail(_ error: Failure) {
    guard phase == .live || phase == .ending else { return }
    cancel()
    downstream.receive(completion: .failure(error))
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    demand.mustBePositive()
    guard phase == .live || phase == .ending else { return }
    self.demand += demand
    side?.request(demand)
  }

  @usableFromInline
  override func cancel() {
    let last = detach()
    let side = self.side
    self.side = nil
    side?.cancel()
    last?.cancel()
  }

  @usableFromInline
  override var description: String { "SwitchToLatest" }
}

@usableFromInline
final class SwitchToLatestSide<Child: Publisher, Downstream: Subscriber>: Link, Subscriber
where Child.Output == Downstream.Input, Child.Failure == Downstream.Failure {
  @usableFromInline typealias Input = Child.Output
  @usableFromInline typealias Failure = Child.Failure

  @usableFromInline let owner: SwitchToLatestLink<Child, Downstream>

  @inlinable
  init(_ owner: SwitchToLatestLink<Child, Downstream>) { self.owner = owner }

  @inlinable
  func receive(subscription: any Subscription) {
    guard attach(subscription) else { return }
    if owner.demand > .none { subscription.request(owner.demand) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    return owner.receiveFromSide(input)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    _ = detach()
    owner.sideEnded(completion)
  }

  @usableFromInline
  override var description: String { "SwitchToLatest" }
}
