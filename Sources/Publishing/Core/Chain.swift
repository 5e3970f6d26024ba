// SPDX-License-Identifier: Apache-2.0
/// Goes on with another upstream when one has ended, and carries the unmet demand over: append, catch, retry.
@usableFromInline
final class Chain<Downstream: Subscriber>: Subscription, Described {
  @usableFromInline let description: String
  @usableFromInline let downstream: Downstream
  @exclusivity(unchecked) @usableFromInline var demand = Subscribers.Demand.none
  @exclusivity(unchecked) @usableFromInline var stage: Link?
  @exclusivity(unchecked) @usableFromInline var isStarted = false
  @exclusivity(unchecked) @usableFromInline var isDone = false

  @inlinable
  init(_ description: String, _ downstream: Downstream) {
    self.description = description
    self.downstream = downstream
  }

  /// Subscribes to the next upstream; `whenEnded` says how to go on after it.
  @inlinable
  func go<P: Publisher>(
    on publisher: P, whenEnded: @escaping (Subscribers.Completion<P.Failure>) -> Void
  ) where P.Output == Downstream.Input {
    guard !isDone else { return }
    let stage = ChainStage<P.Failure, Downstream>(self, whenEnded)
    self.stage = stage
    publisher.receive(subscriber: stage)
  }

  /// Called when the newest stage has its subscription.
  @inlinable
  func start(_ subscription: any Subscription) {
    if !isStarted {
      isStarted = true
      downstream.receive(subscription: self)
    } else if demand > .none {
      subscription.request(demand)
    }
  }

  @inlinable
  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    demand.spendOne()
    let more = downstream.receive(input)
    demand += more
    return more
  }

  @inlinable
  func end(_ completion: Subscribers.Completion<Downstream.Failure>) {
    guard !isDone else { return }
    isDone = true
    stage = nil
    downstream.receive(completion: completion)
  }

  @inlinable
  func request(_ demand: Subscribers.Demand) {
    demand.mustBePositive()
    guard !isDone else { return }
    self.demand += demand
    stage?.request(demand)
  }

  @inlinable
  func cancel() {
    guard !isDone else { return }
    isDone = true
    let last = stage
    stage = nil
    last?.cancel()
  }
}

/// What a ``Chain`` subscribes to one of its upstreams.
@usableFromInline
final class ChainStage<Failure: Error, Downstream: Subscriber>: Link, Subscriber {
  @usableFromInline typealias Input = Downstream.Input

  @usableFromInline let chain: Chain<Downstream>
  @usableFromInline var whenEnded: ((Subscribers.Completion<Failure>) -> Void)?

  @inlinable
  init(_ chain: Chain<Downstream>, _ whenEnded: @escaping (Subscribers.Completion<Failure>) -> Void) {
    self.chain = chain
    self.whenEnded = whenEnded
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if attach(subscription) { chain.start(subscription) }
  }

  @inlinable
  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    return chain.receive(input)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live, let whenEnded else { return }
    _ = detach()
    self.whenEnded = nil
    whenEnded(completion)
  }

  @usableFromInline
  override func cancel() {
    let last = detach()
    let held = whenEnded
    whenEnded = nil
    last?.cancel()
    withExtendedLifetime(held) {}
  }

  @usableFromInline
  override var description: String { chain.description }
}
