// SPDX-License-Identifier: Apache-2.0
/// Makes tuples of the values of several upstreams: zip and combineLatest. The subscription goes down when every
/// upstream has given its own; demand is passed on to each of them.
@usableFromInline
final class Gather<Tuple, Failure: Error>: Subscription, Described {
  @usableFromInline let description: String
  /// Whether every value is used once, in order; otherwise the latest values are used again.
  @usableFromInline let isInStep: Bool
  @usableFromInline let downstream: Outlet<Tuple, Failure>
  @exclusivity(unchecked) @usableFromInline var sides: ContiguousArray<GatherSlot> = []
  @exclusivity(unchecked) @usableFromInline var tuple: (() -> Tuple?)?
  @exclusivity(unchecked) @usableFromInline var demand = Subscribers.Demand.none
  @usableFromInline var attached = 0
  @usableFromInline var isStarted = false
  @exclusivity(unchecked) @usableFromInline var isDone = false

  @inlinable
  init<S: Subscriber<Tuple, Failure>>(_ description: String, isInStep: Bool, _ subscriber: S) {
    self.description = description
    self.isInStep = isInStep
    downstream = Outlet(subscriber)
  }

  /// Makes the side that will listen to `publisher`.
  @inlinable
  func side<P: Publisher>(_ publisher: P) -> GatherSide<P.Output, Tuple, Failure> where P.Failure == Failure {
    let side = GatherSide<P.Output, Tuple, Failure>(self)
    side.subscribe = { [unowned side] in publisher.receive(subscriber: side) }
    sides.append(side)
    return side
  }

  /// Subscribes all sides; `tuple` is called when each has a value.
  @inlinable
  func start(_ tuple: @escaping () -> Tuple?) {
    self.tuple = tuple
    for side in sides where !isDone {
      let subscribe = side.subscribe
      side.subscribe = nil
      subscribe?()
    }
  }

  @inlinable
  func attachedOne() {
    attached += 1
    if attached == sides.count { giveSubscription() }
  }

  @inlinable
  func giveSubscription() {
    guard !isStarted else { return }
    isStarted = true
    downstream.receive(subscription: self)
  }

  @inlinable
  func next() -> Tuple? {
    for side in sides where side.isEmpty { return nil }
    return tuple?()
  }

  /// A side has got a value.
  @inlinable
  func advance(_ side: GatherSlot) -> Subscribers.Demand {
    guard demand > .none, let tuple = next() else { return .none }
    demand.spendOne()
    let more = downstream.receive(tuple)
    guard !isDone else { return .none }
    if more > .none { ask(more, except: side) }
    finishIfOver()
    return isDone ? .none : more
  }

  @inlinable
  func ask(_ more: Subscribers.Demand, except asked: GatherSlot? = nil) {
    demand += more
    for side in sides where side !== asked && !isDone { side.request(more) }
  }

  /// Finishes when no tuple can follow.
  @inlinable
  func finishIfOver() {
    guard !isDone else { return }
    var areOver = !isInStep
    for side in sides {
      if side.phase != .done { areOver = false } else if side.isEmpty { return stop(.finished) }
    }
    if areOver { stop(.finished) }
  }

  @inlinable
  func stop(_ completion: Subscribers.Completion<Failure>) {
    // The subscription comes first in any case; the subscriber may cancel it at once.
    giveSubscription()
    guard !isDone else { return }
    cancel()
    downstream.receive(completion: completion)
  }

  @inlinable
  func request(_ demand: Subscribers.Demand) {
    guard !isDone else { return }
    ask(demand)
    while isInStep, !isDone, self.demand > .none, let tuple = next() {
      self.demand.spendOne()
      let more = downstream.receive(tuple)
      if !isDone, more > .none { ask(more) }
      finishIfOver()
    }
  }

  @inlinable
  func cancel() {
    guard !isDone else { return }
    isDone = true
    let held = (sides, tuple)
    sides = []
    tuple = nil
    for side in held.0 { side.cancel() }
  }
}

/// What a ``Gather`` knows of a side without its type of value.
@usableFromInline
class GatherSlot: Link {
  /// Subscribes the side; called once.
  @usableFromInline final var subscribe: (() -> Void)?
  @exclusivity(unchecked) @usableFromInline final var isEmpty = true
}

/// The subscriber by which a ``Gather`` listens to one of its upstreams.
@usableFromInline
final class GatherSide<Input, Tuple, Failure: Error>: GatherSlot, Subscriber {
  @usableFromInline let gather: Gather<Tuple, Failure>
  /// The values that wait for those of other sides; out of step only the latest, in `latest`.
  @exclusivity(unchecked) @usableFromInline var values = Queue<Input>()
  @exclusivity(unchecked) @usableFromInline var latest: Input?

  @inlinable init(_ gather: Gather<Tuple, Failure>) { self.gather = gather }

  /// Returns the value for the next tuple.
  @inlinable
  func take() -> Input? {
    guard gather.isInStep else { return latest }
    defer { isEmpty = values.isEmpty }
    return values.popFirst()
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if attach(subscription) { gather.attachedOne() }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    if gather.isInStep { values.append(input) } else { latest = .some(input) }
    isEmpty = false
    return gather.advance(self)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    _ = detach()
    switch completion {
    case .finished: gather.finishIfOver()
    case .failure: gather.stop(completion)
    }
  }

  @usableFromInline override var description: String { gather.description }
}
