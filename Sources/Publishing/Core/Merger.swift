// SPDX-License-Identifier: Apache-2.0
/// Delivers the values of several upstreams to one subscriber according to its demand: merge and flatMap.
///
/// While the subscriber's demand is unlimited, so is the demand on each side. Otherwise each side is asked for one
/// value at a time, and values that arrive without demand wait in a shared queue.
@usableFromInline
final class Merger<Input, Failure: Error>: Subscription, Described {
  @usableFromInline let description: String
  @usableFromInline let downstream: Outlet<Input, Failure>
  /// The upstream that provides the sides, if there is one, and whether it is asked for the next when a side ends.
  @usableFromInline var outer: Link?
  @usableFromInline var replacesSides = false
  @exclusivity(unchecked) @usableFromInline var sides: ContiguousArray<MergerSide<Input, Failure>?> = []
  @exclusivity(unchecked) @usableFromInline var vacant: ContiguousArray<Int> = []
  @exclusivity(unchecked) @usableFromInline var waiting = Queue<(side: MergerSide<Input, Failure>, value: Input)>()
  @exclusivity(unchecked) @usableFromInline var demand = Subscribers.Demand.none
  /// The number of sides and outer upstreams that have not ended.
  @exclusivity(unchecked) @usableFromInline var open: Int
  @exclusivity(unchecked) @usableFromInline var isDraining = false
  @exclusivity(unchecked) @usableFromInline var isDone = false

  /// Sends the subscription to the subscriber. The upstreams are subscribed to afterwards.
  @inlinable
  init<S: Subscriber<Input, Failure>>(_ description: String, open: Int, _ subscriber: S) {
    self.description = description
    self.open = open
    downstream = Outlet(subscriber)
    downstream.receive(subscription: self)
  }

  /// Subscribes to one more side, which `open` must already include.
  @inlinable @discardableResult
  func add<P: Publisher<Input, Failure>>(_ publisher: P) -> Self {
    guard !isDone else { return self }
    let slot = vacant.popLast() ?? sides.count
    if slot == sides.count { sides.append(nil) }
    let side = MergerSide(self, slot)
    sides[slot] = side
    publisher.receive(subscriber: side)
    return self
  }

  @inlinable
  func receive(_ value: Input, from side: MergerSide<Input, Failure>) -> Subscribers.Demand {
    guard !isDone else { return .none }
    if demand == .unlimited, !isDraining {
      _ = downstream.receive(value)
      return .none
    }
    guard demand > .none, !isDraining else {
      waiting.append((side, value))
      return .none
    }
    demand.spendOne()
    let more = downstream.receive(value)
    guard !isDone else { return .none }
    if more > .none { request(more) }
    return demand == .unlimited ? .none : .max(1)
  }

  @inlinable
  func ended(_ side: MergerSide<Input, Failure>, _ completion: Subscribers.Completion<Failure>) {
    guard !isDone else { return }
    sides[side.slot] = nil
    vacant.append(side.slot)
    endOne(completion)
    if replacesSides, !isDone { outer?.request(.max(1)) }
  }

  /// Called when a side, or the upstream that provides the sides, has ended.
  @inlinable
  func endOne(_ completion: Subscribers.Completion<Failure>) {
    guard !isDone else { return }
    switch completion {
    case .finished:
      open -= 1
      finishIfOver()
    case .failure:
      cancel()
      downstream.receive(completion: completion)
    }
  }

  @inlinable
  func request(_ demand: Subscribers.Demand) {
    guard !isDone else { return }
    let wasUnlimited = self.demand == .unlimited
    self.demand += demand
    drain()
    if !wasUnlimited, self.demand == .unlimited { askForEverything() }
  }

  @inlinable
  func drain() {
    guard !isDraining else { return }
    isDraining = true
    while demand > .none, let (side, value) = waiting.popFirst() {
      demand.spendOne()
      let more = downstream.receive(value)
      guard !isDone else { return }
      let wasUnlimited = demand == .unlimited
      demand += more
      guard !wasUnlimited else { continue }
      if demand == .unlimited { askForEverything() } else { side.request(.max(1)) }
    }
    isDraining = false
    finishIfOver()
  }

  @inlinable
  func askForEverything() {
    for side in sides { side?.request(.unlimited) }
  }

  @inlinable
  func finishIfOver() {
    guard open == 0, waiting.isEmpty, !isDone else { return }
    isDone = true
    outer = nil
    downstream.receive(completion: .finished)
  }

  @inlinable
  func cancel() {
    guard !isDone else { return }
    isDone = true
    let (sides, outer, waiting) = (self.sides, self.outer, self.waiting)
    self.sides = []
    self.outer = nil
    self.waiting.removeAll()
    for side in sides { side?.cancel() }
    outer?.cancel()
    withExtendedLifetime(waiting) {}
  }
}

/// The subscriber that a ``Merger`` attaches to one upstream.
@usableFromInline
final class MergerSide<Input, Failure: Error>: Link, Subscriber {
  @usableFromInline let merger: Merger<Input, Failure>
  /// The merger's index of this side.
  @usableFromInline let slot: Int

  @inlinable
  init(_ merger: Merger<Input, Failure>, _ slot: Int) {
    self.merger = merger
    self.slot = slot
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if attach(subscription) { subscription.request(merger.demand == .unlimited ? .unlimited : .max(1)) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand { phase == .live ? merger.receive(input, from: self) : .none }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    _ = detach()
    merger.ended(self, completion)
  }

  @usableFromInline override var description: String { merger.description }
}
