// SPDX-License-Identifier: Apache-2.0
/// One subscription to a subject.
///
/// It reaches its subscriber through two closures that are made where the subscriber's type is known: so the whole
/// chain behind it is called as compiled for its own types, whoever sends.
@usableFromInline
class Conduit<Output, Failure: Error>: Subscription, Described {
  @usableFromInline typealias Deliver = (Output) -> Subscribers.Demand
  @usableFromInline typealias Conclude = (Subscribers.Completion<Failure>) -> Void

  @exclusivity(unchecked) @usableFromInline final var deliver: Deliver?
  @exclusivity(unchecked) @usableFromInline final var conclude: Conclude?
  @exclusivity(unchecked) @usableFromInline final var demand = Subscribers.Demand.none
  /// Whether the subscriber does not have the newest value, for want of demand.
  @exclusivity(unchecked) @usableFromInline final var missed = false

  @inlinable
  init(_ deliver: @escaping Deliver, _ conclude: @escaping Conclude) {
    self.deliver = deliver
    self.conclude = conclude
  }

  /// Delivers a value if one is asked for.
  @inlinable
  final func offer(_ value: Output) {
    guard let deliver else { return }
    guard demand > .none else {
      missed = true
      return
    }
    missed = false
    demand.spendOne()
    let more = deliver(value)
    guard more > .none, self.deliver != nil else { return }
    demand += more
    if missed, let newest { offer(newest) }
  }

  /// The value that a subscriber gets which missed it, if the subject keeps one.
  @usableFromInline
  var newest: Output? { nil }

  /// Ends with a completion.
  @inlinable
  final func finish(_ completion: Subscribers.Completion<Failure>) {
    guard let conclude else { return }
    let held = close()
    conclude(completion)
    withExtendedLifetime(held) {}
  }

  /// Lets go of the subscriber; what is returned still holds it.
  @inlinable
  final func close() -> Deliver? {
    let held = deliver
    deliver = nil
    conclude = nil
    leave()
    return held
  }

  /// Lets go of the subject.
  @usableFromInline
  func leave() {}

  @usableFromInline
  func request(_ demand: Subscribers.Demand) { self.demand += demand }

  @usableFromInline
  func cancel() { _ = close() }

  @usableFromInline
  var description: String { "\(Self.self)" }
}

/// The subscriptions to one subject, in the order they came, and the subject's end.
@usableFromInline
struct Conduits<Output, Failure: Error> {
  @usableFromInline var list: ContiguousArray<Conduit<Output, Failure>> = []

  @inlinable
  init() {}

  @inlinable
  mutating func add(_ conduit: Conduit<Output, Failure>) { list.append(conduit) }

  @inlinable
  mutating func remove(_ conduit: Conduit<Output, Failure>) {
    guard let index = list.firstIndex(where: { $0 === conduit }) else { return }
    list.remove(at: index)
    // By itself an array keeps the room that many had who have gone.
    if list.capacity > 256, list.count < list.capacity / 8 { list = ContiguousArray(list.map { $0 }) }
  }

  @inlinable
  mutating func removeAll() -> ContiguousArray<Conduit<Output, Failure>> {
    let all = list
    list = []
    return all
  }
}
