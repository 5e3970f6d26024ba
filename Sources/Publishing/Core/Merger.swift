// SPDX-License-Identifier: Apache-2.0
/// Lets the values of several upstreams through to one subscriber, as it asks for them: merge and flatMap.
///
/// While the subscriber asks for everything, so does every side. Otherwise each side is asked for one value at a time,
/// and what comes before it is wanted waits in one queue.
@usableFromInline
final class Merger<Downstream: Subscriber>: Subscription, Described {
  @usableFromInline typealias Value = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let description: String
  @usableFromInline let downstream: Downstream
  /// The upstream that brings the sides, if there is one.
  @usableFromInline var outer: Link?
  @usableFromInline var whenSideEnds: (() -> Void)?
  @exclusivity(unchecked) @usableFromInline var sides: ContiguousArray<MergerSide<Downstream>?> = []
  @exclusivity(unchecked) @usableFromInline var vacant: ContiguousArray<Int> = []
  @exclusivity(unchecked) @usableFromInline var waiting = Queue<(side: MergerSide<Downstream>, value: Value)>()
  @exclusivity(unchecked) @usableFromInline var demand = Subscribers.Demand.none
  /// How many sides, and outer upstreams, have not ended yet.
  @exclusivity(unchecked) @usableFromInline var open: Int
  @exclusivity(unchecked) @usableFromInline var isDraining = false
  @exclusivity(unchecked) @usableFromInline var isDone = false

  @inlinable
  init(_ description: String, open: Int, _ downstream: Downstream) {
    self.description = description
    self.open = open
    self.downstream = downstream
  }

  /// Subscribes one more side; it must have been counted in `open`.
  @inlinable
  func subscribe<P: Publisher>(to publisher: P) where P.Output == Value, P.Failure == Failure {
    guard !isDone else { return }
    let slot: Int
    if let free = vacant.popLast() {
      slot = free
    } else {
      slot = sides.count
      sides.append(nil)
    }
    let side = MergerSide(self, slot)
    sides[slot] = side
    publisher.receive(subscriber: side)
  }

  @inlinable
  func receive(_ value: Value, from side: MergerSide<Downstream>) -> Subscribers.Demand {
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

  /// One side has ended normally, or the upstream that brings them.
  @inlinable
  func endOne() {
    open -= 1
    finishIfOver()
  }

  @inlinable
  func remove(_ side: MergerSide<Downstream>) {
    guard !isDone else { return }
    sides[side.slot] = nil
    vacant.append(side.slot)
  }

  @inlinable
  func fail(_ error: Failure) {
    guard !isDone else { return }
    cancel()
    downstream.receive(completion: .failure(error))
  }

  @inlinable
  func request(_ demand: Subscribers.Demand) {
    demand.mustBePositive()
    guard !isDone else { return }
    let wasUnlimited = self.demand == .unlimited
    self.demand += demand
    drain()
    guard !wasUnlimited, self.demand == .unlimited else { return }
    for side in sides { side?.request(.unlimited) }
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
      if !wasUnlimited, demand == .unlimited {
        for side in sides { side?.request(.unlimited) }
      } else if !wasUnlimited {
        side.request(.max(1))
      }
    }
    isDraining = false
    finishIfOver()
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
    let sides = self.sides
    let outer = self.outer
    let waiting = self.waiting
    self.sides = []
    self.outer = nil
    self.waiting.removeAll()
    outer?.cancel()
    for side in sides { side?.cancel() }
    withExtendedLifetime(waiting) {}
  }
}

/// What a ``Merger`` subscribes to one of its upstreams.
@usableFromInline
final class MergerSide<Downstream: Subscriber>: Link, Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let merger: Merger<Downstream>
  @usableFromInline let slot: Int

  @inlinable
  init(_ merger: Merger<Downstream>, _ slot: Int) {
    self.merger = merger
    self.slot = slot
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if attach(subscription) { subscription.request(merger.demand == .unlimited ? .unlimited : .max(1)) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    return merger.receive(input, from: self)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    _ = detach()
    merger.remove(self)
    switch completion {
    case .finished:
      merger.endOne()
      if !merger.isDone { merger.whenSideEnds?() }
    case .failure(let error):
      merger.fail(error)
    }
  }

  @usableFromInline
  override var description: String { merger.description }
}
