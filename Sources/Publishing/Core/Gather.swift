// SPDX-License-Identifier: Apache-2.0
/// Combines the values of several upstreams into tuples: zip and combineLatest. Sends the subscription downstream after
/// every upstream has sent its own. Demand is passed on to each upstream.
@usableFromInline
final class Gather<Tuple, Failure: Error>: Subscription, Described {
  @usableFromInline let description: String
  /// Whether every value is used once, in order (zip). Otherwise the latest values are reused (combineLatest).
  @usableFromInline let isInStep: Bool
  @usableFromInline let downstream: Outlet<Tuple, Failure>
  @exclusivity(unchecked) @usableFromInline var sides: ContiguousArray<GatherSlot> = []
  @exclusivity(unchecked) @usableFromInline var tuple: (() -> Tuple?)?
  @exclusivity(unchecked) @usableFromInline var demand = Subscribers.Demand.none
  @usableFromInline var attached = 0
  @exclusivity(unchecked) @usableFromInline var phase = Phase.waiting

  @inlinable
  init<S: Subscriber<Tuple, Failure>>(_ description: String, isInStep: Bool, _ subscriber: S) {
    self.description = description
    self.isInStep = isInStep
    downstream = Outlet(subscriber)
  }

  /// Whether the end has been reached, after which all sides are ignored.
  @inlinable var isOver: Bool { phase == .ending || phase == .done }

  /// Creates the subscriber for one upstream.
  @inlinable
  func side<P: Publisher>(_ publisher: P) -> GatherSide<P.Output, Tuple, Failure> where P.Failure == Failure {
    let side = GatherSide<P.Output, Tuple, Failure>(self)
    side.subscribe = { [unowned side] in publisher.receive(subscriber: side) }
    sides.append(side)
    return side
  }

  /// Subscribes to all upstreams. `tuple` is called when each has a value.
  @inlinable
  func start(_ tuple: @escaping () -> Tuple?) {
    self.tuple = tuple
    for side in sides where !isOver {
      let subscribe = side.subscribe
      side.subscribe = nil
      subscribe?()
    }
  }

  @inlinable
  func attachedOne() {
    attached += 1
    guard attached == sides.count, phase == .waiting else { return }
    phase = .live
    downstream.receive(subscription: self)
  }

  @inlinable
  func next() -> Tuple? {
    for side in sides where side.isEmpty { return nil }
    return tuple?()
  }

  /// Called when a side has received a value.
  @inlinable
  func advance(_ side: GatherSlot) -> Subscribers.Demand {
    guard demand > .none, let tuple = next() else { return .none }
    demand.spendOne()
    let more = downstream.receive(tuple)
    // Check for the end first: nothing more is requested from the other sides if no tuple can follow.
    finishIfOver()
    guard !isOver else { return .none }
    if more > .none { ask(more, except: side) }
    return isOver ? .none : more
  }

  @inlinable
  func ask(_ more: Subscribers.Demand, except asked: GatherSlot? = nil) {
    demand += more
    for side in sides where side !== asked && !isOver { side.request(more) }
  }

  /// Finishes if no further tuple is possible.
  @inlinable
  func finishIfOver() {
    guard !isOver else { return }
    var areOver = !isInStep
    for side in sides {
      if side.phase != .done { areOver = false } else if side.isEmpty { return stop(.finished) }
    }
    if areOver { stop(.finished) }
  }

  @inlinable
  func stop(_ completion: Subscribers.Completion<Failure>) {
    guard !isOver else { return }
    let isStarted = phase == .live
    cancelSides(.ending)
    // The subscription must precede the completion. Its requests no longer have an effect, but it may be cancelled.
    if !isStarted { downstream.receive(subscription: self) }
    guard phase == .ending else { return }
    phase = .done
    downstream.receive(completion: completion)
  }

  @inlinable
  func request(_ demand: Subscribers.Demand) {
    guard !isOver else { return }
    ask(demand)
    while isInStep, !isOver, self.demand > .none, let tuple = next() {
      self.demand.spendOne()
      let more = downstream.receive(tuple)
      finishIfOver()
      if !isOver, more > .none { ask(more) }
    }
  }

  @inlinable
  func cancel() {
    if isOver { phase = .done } else { cancelSides(.done) }
  }

  @inlinable
  func cancelSides(_ next: Phase) {
    phase = next
    let held = (sides, tuple)
    sides = []
    tuple = nil
    for side in held.0 { side.cancel() }
  }
}

/// The part of a side that does not depend on its type of value.
@usableFromInline
class GatherSlot: Link {
  /// Subscribes to the upstream. Called once.
  @usableFromInline final var subscribe: (() -> Void)?
  @exclusivity(unchecked) @usableFromInline final var isEmpty = true
}

/// The subscriber that a ``Gather`` attaches to one upstream.
@usableFromInline
final class GatherSide<Input, Tuple, Failure: Error>: GatherSlot, Subscriber {
  @usableFromInline let gather: Gather<Tuple, Failure>
  /// Values waiting for those of the other sides. Used by zip only; combineLatest keeps `latest`.
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
