// SPDX-License-Identifier: Apache-2.0
/// What turns the values of several upstreams into tuples: zip and combineLatest.
@usableFromInline
protocol GatherRule {
  associatedtype Tuple

  /// Whether tuples that nobody wanted yet wait, or are forgotten.
  static var keepsTuples: Bool { get }
  /// The next tuple, if one is ready.
  mutating func take() -> Tuple?
  /// Whether no tuple can come any more, when those upstreams have ended whose bits are set.
  func isOver(_ ended: UInt8) -> Bool
}

/// The place of one upstream in a ``GatherRule``.
@usableFromInline
protocol GatherSlot<Owner> {
  associatedtype Owner: GatherRule
  associatedtype Value

  static var index: Int { get }
  static func put(_ value: Value, into rule: inout Owner)
}

/// Runs a ``GatherRule``. The subscription goes down when every upstream has given its own; what is asked for is asked
/// of each.
@usableFromInline
final class Gather<R: GatherRule, Downstream: Subscriber>: Subscription, Described where Downstream.Input == R.Tuple {
  @usableFromInline let description: String
  @usableFromInline let downstream: Downstream
  @usableFromInline let width: Int
  @exclusivity(unchecked) @usableFromInline var rule: R
  @exclusivity(unchecked) @usableFromInline var sides: ContiguousArray<Link> = []
  @exclusivity(unchecked) @usableFromInline var demand = Subscribers.Demand.none
  @exclusivity(unchecked) @usableFromInline var ended: UInt8 = 0
  @usableFromInline var attached = 0
  @usableFromInline var isStarted = false
  @exclusivity(unchecked) @usableFromInline var isDone = false

  @inlinable
  init(_ description: String, _ rule: R, width: Int, _ downstream: Downstream) {
    self.description = description
    self.rule = rule
    self.width = width
    self.downstream = downstream
  }

  @inlinable
  func subscribe<P: Publisher, S: GatherSlot>(_ slot: S.Type, to publisher: P)
  where S.Owner == R, P.Output == S.Value, P.Failure == Downstream.Failure {
    guard !isDone else { return }
    let side = GatherSide<S, Downstream>(self)
    sides.append(side)
    publisher.receive(subscriber: side)
  }

  @inlinable
  func attachedOne() {
    attached += 1
    if attached == width { start() }
  }

  @inlinable
  func start() {
    guard !isStarted else { return }
    isStarted = true
    downstream.receive(subscription: self)
  }

  /// A value has been put into the rule by the side with this index.
  @inlinable
  func advance(_ index: Int) -> Subscribers.Demand {
    guard demand > .none, let tuple = rule.take() else { return .none }
    demand.spendOne()
    let more = downstream.receive(tuple)
    guard !isDone else { return .none }
    if more > .none { ask(more, exceptFor: index) }
    finishIfOver()
    return isDone ? .none : more
  }

  @inlinable
  func ask(_ more: Subscribers.Demand, exceptFor index: Int) {
    demand += more
    for (other, side) in sides.enumerated() where other != index && !isDone { side.request(more) }
  }

  @inlinable
  func end(_ index: Int, _ completion: Subscribers.Completion<Downstream.Failure>) {
    guard !isDone else { return }
    ended |= 1 << UInt8(truncatingIfNeeded: index)
    switch completion {
    case .finished: finishIfOver()
    case .failure: stop(completion)
    }
  }

  @inlinable
  func finishIfOver() {
    if ended != 0, !isDone, rule.isOver(ended) { stop(.finished) }
  }

  @inlinable
  func stop(_ completion: Subscribers.Completion<Downstream.Failure>) {
    // The subscription comes first, whatever happens; the subscriber may cancel it at once.
    start()
    guard !isDone else { return }
    cancel()
    downstream.receive(completion: completion)
  }

  @inlinable
  func request(_ demand: Subscribers.Demand) {
    demand.mustBePositive()
    guard !isDone else { return }
    self.demand += demand
    for side in sides where !isDone { side.request(demand) }
    while R.keepsTuples, !isDone, self.demand > .none, let tuple = rule.take() {
      self.demand.spendOne()
      let more = downstream.receive(tuple)
      if !isDone, more > .none { ask(more, exceptFor: -1) }
      finishIfOver()
    }
  }

  @inlinable
  func cancel() {
    guard !isDone else { return }
    isDone = true
    let sides = self.sides
    self.sides = []
    for side in sides { side.cancel() }
  }
}

/// What a ``Gather`` subscribes to one of its upstreams.
@usableFromInline
final class GatherSide<S: GatherSlot, Downstream: Subscriber>: Link, Subscriber
where Downstream.Input == S.Owner.Tuple {
  @usableFromInline typealias Input = S.Value
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let gather: Gather<S.Owner, Downstream>

  @inlinable
  init(_ gather: Gather<S.Owner, Downstream>) { self.gather = gather }

  @inlinable
  func receive(subscription: any Subscription) {
    if attach(subscription) { gather.attachedOne() }
  }

  @inlinable
  func receive(_ input: S.Value) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    S.put(input, into: &gather.rule)
    return gather.advance(S.index)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    _ = detach()
    gather.end(S.index, completion)
  }

  @usableFromInline
  override var description: String { gather.description }
}
