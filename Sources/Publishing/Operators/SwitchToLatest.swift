// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes everything from the newest of the publishers that upstream publishes. Ends when upstream and the newest
  /// publisher have ended, or when one of them fails.
  public struct SwitchToLatest<P: Publisher, Upstream: Publisher>: Publisher
  where Upstream.Output == P, Upstream.Failure == P.Failure {
    public typealias Output = P.Output
    public typealias Failure = P.Failure

    public let upstream: Upstream

    public init(upstream: Upstream) { self.upstream = upstream }

    @inlinable
    public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
      upstream.receive(subscriber: SwitchToLatestLink<P>(subscriber))
    }
  }
}

extension Publisher where Output: Publisher, Output.Failure == Failure {
  /// Publishes everything from the newest of the published publishers; cancels the one before it.
  public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> { Publishers.SwitchToLatest(upstream: self) }
}

extension Publisher where Output: Publisher, Output.Failure == Never {
  /// Publishes everything from the newest of the published publishers; cancels the one before it.
  public func switchToLatest()
    -> Publishers.SwitchToLatest<
      Publishers.SetFailureType<Output, Failure>, Publishers.Map<Self, Publishers.SetFailureType<Output, Failure>>
    >
  {
    Publishers.SwitchToLatest(upstream: map { $0.setFailureType(to: Failure.self) })
  }
}

extension Publisher where Failure == Never, Output: Publisher {
  /// Publishes everything from the newest of the published publishers; cancels the one before it.
  public func switchToLatest() -> Publishers.SwitchToLatest<Output, Publishers.SetFailureType<Self, Output.Failure>> {
    Publishers.SwitchToLatest(upstream: setFailureType(to: Output.Failure.self))
  }
}

extension Publisher where Failure == Never, Output: Publisher, Output.Failure == Never {
  /// Publishes everything from the newest of the published publishers; cancels the one before it.
  public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> { Publishers.SwitchToLatest(upstream: self) }
}

@usableFromInline
final class SwitchToLatestLink<Child: Publisher>: EagerLink<Child, Child.Output, Child.Failure> {
  @usableFromInline var side: SwitchToLatestSide<Child>?
  @exclusivity(unchecked) @usableFromInline var demand = Subscribers.Demand.none

  @inlinable
  init<S: Subscriber<Child.Output, Child.Failure>>(_ subscriber: S) { super.init("SwitchToLatest", subscriber) }

  @inlinable
  override func receive(_ child: Child) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    let last = side
    let next = SwitchToLatestSide(self)
    side = next
    last?.cancel()
    // Cancelling the previous child may have cancelled this subscription or delivered a newer child.
    if phase == .live, side === next { child.receive(subscriber: next) }
    return .none
  }

  @inlinable
  override func receive(completion: Subscribers.Completion<Child.Failure>) {
    guard phase == .live else { return }
    upstream = nil
    // The newest child may still publish.
    if case .finished = completion, side != nil { phase = .ending } else { stop(completion) }
  }

  @inlinable
  func sideEnded(_ completion: Subscribers.Completion<Child.Failure>) {
    side = nil
    if case .finished = completion, phase == .live { return }
    stop(completion)
  }

  @inlinable
  func stop(_ completion: Subscribers.Completion<Child.Failure>) {
    guard phase == .live || phase == .ending else { return }
    cancel()
    downstream.receive(completion: completion)
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    guard phase == .live || phase == .ending else { return }
    self.demand += demand
    side?.request(demand)
  }

  @usableFromInline
  override func release() {
    let last = side
    side = nil
    last?.cancel()
  }
}

/// The subscriber that the operator attaches to the newest publisher.
@usableFromInline
final class SwitchToLatestSide<Child: Publisher>: Link, Subscriber {
  @usableFromInline typealias Input = Child.Output
  @usableFromInline typealias Failure = Child.Failure

  @usableFromInline let owner: SwitchToLatestLink<Child>

  @inlinable init(_ owner: SwitchToLatestLink<Child>) { self.owner = owner }

  @inlinable
  func receive(subscription: any Subscription) {
    if attach(subscription), owner.demand > .none { subscription.request(owner.demand) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    owner.demand.spendOne()
    let more = owner.downstream.receive(input)
    owner.demand += more
    guard owner.side !== self else { return more }
    // Another child has begun meanwhile, with the demand of that moment.
    if more > .none { owner.side?.request(more) }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    _ = detach()
    owner.sideEnded(completion)
  }

  @usableFromInline override var description: String { "SwitchToLatest" }
}
