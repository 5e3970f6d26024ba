// SPDX-License-Identifier: Apache-2.0
/// Subscribes to another upstream when one has ended and carries over the unmet demand. Used by append, catch, retry
/// and the operators that replace a completion with a value.
@usableFromInline
final class Chain<Output, Failure: Error>: Subscription, Described {
  @usableFromInline let description: String
  @usableFromInline let downstream: Outlet<Output, Failure>
  @exclusivity(unchecked) @usableFromInline var demand = Subscribers.Demand.none
  @exclusivity(unchecked) @usableFromInline var stage: Link?
  @exclusivity(unchecked) @usableFromInline var isStarted = false
  /// Whether no upstream has sent a value yet.
  @exclusivity(unchecked) @usableFromInline var isEmpty = true
  @exclusivity(unchecked) @usableFromInline var isDone = false

  @inlinable
  init<S: Subscriber<Output, Failure>>(_ description: String, _ subscriber: S) {
    self.description = description
    downstream = Outlet(subscriber)
  }

  /// Subscribes to the next upstream. `whenEnded` decides what happens after it.
  @inlinable
  func go<P: Publisher>(
    on publisher: P, whenEnded: @escaping (Subscribers.Completion<P.Failure>) -> Void
  ) where P.Output == Output {
    guard !isDone else { return }
    let stage = ChainStage(self, whenEnded)
    self.stage = stage
    publisher.receive(subscriber: stage)
  }

  /// Called when the newest stage has received its subscription.
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
  func receive(_ input: Output, from stage: Link) -> Subscribers.Demand {
    isEmpty = false
    demand.spendOne()
    let more = downstream.receive(input)
    demand += more
    guard stage !== self.stage else { return more }
    // Another upstream has begun meanwhile, with the demand of that moment.
    if more > .none { self.stage?.request(more) }
    return .none
  }

  @inlinable
  func end(_ completion: Subscribers.Completion<Failure>) {
    guard !isDone else { return }
    isDone = true
    stage = nil
    downstream.receive(completion: completion)
  }

  @inlinable
  func request(_ demand: Subscribers.Demand) {
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

/// The subscriber that a ``Chain`` attaches to each upstream.
@usableFromInline
final class ChainStage<Input, Failure: Error, Lifted: Error>: Link, Subscriber {
  @usableFromInline let chain: Chain<Input, Lifted>
  @usableFromInline var whenEnded: ((Subscribers.Completion<Failure>) -> Void)?

  @inlinable
  init(_ chain: Chain<Input, Lifted>, _ whenEnded: @escaping (Subscribers.Completion<Failure>) -> Void) {
    self.chain = chain
    self.whenEnded = whenEnded
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if attach(subscription) { chain.start(subscription) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand { phase == .live ? chain.receive(input, from: self) : .none }

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

  @usableFromInline override var description: String { chain.description }
}
