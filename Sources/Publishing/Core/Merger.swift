// SPDX-License-Identifier: Apache-2.0
/// Delivers the values of several upstreams to one subscriber according to its demand: merge and flatMap.
///
/// While the subscriber's demand is unlimited, so is the demand on each side. Otherwise each side is asked for one
/// value at a time, and values that arrive without demand wait in a shared queue. Values are delivered in the order in
/// which they arrive. A failure follows the values that arrived before it and have been requested; the rest is dropped.
@usableFromInline
final class Merger<Input, Failure: Error>: Subscription, Described {
  @usableFromInline let description: String
  @usableFromInline let downstream: Outlet<Input, Failure>
  /// The upstream that provides the sides, if there is one, and whether it is asked for the next when a side ends.
  @usableFromInline var outer: Link?
  @usableFromInline var replacesSides = false
  @exclusivity(unchecked) @usableFromInline var sides: ContiguousArray<MergerSide<Input, Failure>?> = []
  @exclusivity(unchecked) @usableFromInline var vacant: ContiguousArray<Int> = []
  /// Values without demand, or behind others that are being delivered.
  @exclusivity(unchecked) @usableFromInline var waiting = Queue<(side: MergerSide<Input, Failure>, value: Input)>()
  @exclusivity(unchecked) @usableFromInline var demand = Subscribers.Demand.none
  /// Whether every side has been asked for everything.
  @exclusivity(unchecked) @usableFromInline var asksForEverything = false
  /// The number of sides and outer upstreams that have not ended.
  @exclusivity(unchecked) @usableFromInline var open: Int
  @exclusivity(unchecked) @usableFromInline var isDraining = false
  /// The failure that is delivered after the requested values.
  @exclusivity(unchecked) @usableFromInline var failure: Subscribers.Completion<Failure>?
  @exclusivity(unchecked) @usableFromInline var isDone = false

  /// Sends the subscription to the subscriber. The upstreams are subscribed to afterwards.
  @inlinable
  init<S: Subscriber<Input, Failure>>(_ description: String, open: Int, _ subscriber: S) {
    self.description = description
    self.open = open
    downstream = Outlet(subscriber)
    downstream.receive(subscription: self)
  }

  /// Whether events of the sides are still handled.
  @inlinable var isLive: Bool { !isDone && failure == nil }

  /// Subscribes to one more side, which `open` must already include.
  @inlinable @discardableResult
  func add<P: Publisher<Input, Failure>>(_ publisher: P) -> Self {
    guard isLive else { return self }
    let slot = vacant.popLast() ?? sides.count
    if slot == sides.count { sides.append(nil) }
    let side = MergerSide(self, slot)
    sides[slot] = side
    publisher.receive(subscriber: side)
    return self
  }

  @inlinable
  func receive(_ value: Input, from side: MergerSide<Input, Failure>) -> Subscribers.Demand {
    guard demand > .none, waiting.isEmpty else {
      waiting.append((side, value))
      return .none
    }
    if demand == .unlimited {
      _ = downstream.receive(value)
      return .none
    }
    demand.spendOne()
    let more = downstream.receive(value)
    guard isLive else { return .none }
    if more > .none { request(more) }
    return demand == .unlimited ? .none : .max(1)
  }

  @inlinable
  func ended(_ side: MergerSide<Input, Failure>, _ completion: Subscribers.Completion<Failure>) {
    guard isLive else { return }
    sides[side.slot] = nil
    vacant.append(side.slot)
    endOne(completion)
    if replacesSides, isLive { outer?.request(.max(1)) }
  }

  /// Called when a side, or the upstream that provides the sides, has ended.
  @inlinable
  func endOne(_ completion: Subscribers.Completion<Failure>) {
    guard isLive else { return }
    switch completion {
    case .finished: open -= 1
    case .failure:
      failure = completion
      cancelUpstreams()
    }
    endIfOver()
  }

  @inlinable
  func request(_ demand: Subscribers.Demand) {
    guard !isDone else { return }
    self.demand += demand
    drain()
  }

  @inlinable
  func drain() {
    guard !isDraining else { return }
    isDraining = true
    while demand > .none, let (side, value) = waiting.popFirst() {
      demand.spendOne()
      let more = downstream.receive(value)
      guard !isDone else { return }
      demand += more
      if demand != .unlimited { side.request(.max(1)) }
    }
    isDraining = false
    endIfOver()
    // Only when the queue is empty, because values of an endless sequence must not pile up behind it.
    if demand == .unlimited, !asksForEverything, isLive {
      asksForEverything = true
      for side in sides { side?.request(.unlimited) }
    }
  }

  /// Completes if one side has failed, or if all have ended and no value waits. Does nothing while waiting values are
  /// being delivered.
  @inlinable
  func endIfOver() {
    guard !isDone, !isDraining, failure != nil || (open == 0 && waiting.isEmpty) else { return }
    let completion = failure ?? .finished
    cancel()
    downstream.receive(completion: completion)
  }

  @inlinable
  func cancel() {
    guard !isDone else { return }
    isDone = true
    let waiting = self.waiting
    self.waiting.removeAll()
    cancelUpstreams()
    withExtendedLifetime(waiting) {}
  }

  @inlinable
  func cancelUpstreams() {
    let (sides, outer) = (self.sides, self.outer)
    self.sides = []
    self.outer = nil
    for side in sides { side?.cancel() }
    outer?.cancel()
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
    if attach(subscription) { subscription.request(merger.asksForEverything ? .unlimited : .max(1)) }
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
