// SPDX-License-Identifier: Apache-2.0
/// A publisher that sends the same values to all its subscribers: subjects, futures, timers, published properties.
@usableFromInline
protocol Broadcaster<Output, Failure>: AnyObject, Publisher {
  var subscriptions: SubscriptionList<Output, Failure> { get set }
  /// The name of a subscription in `print()`.
  var subscriptionLabel: String { get }
  /// The value that a subscriber missed for lack of demand, if one is kept.
  var newest: Output? { get }
  /// Called when a subscriber has requested values.
  func wanted(by subscription: SubjectSubscription<Output, Failure>)
}

extension Broadcaster {
  @usableFromInline var newest: Output? { nil }

  @usableFromInline
  func wanted(by subscription: SubjectSubscription<Output, Failure>) {
    if subscription.missed, let newest { subscription.offer(newest) }
  }

  /// Adds a subscriber to the list and sends it its subscription.
  @inlinable @discardableResult
  func add<S: Subscriber<Output, Failure>>(_ subscriber: S) -> SubjectSubscription<Output, Failure> {
    let subscription = SubjectSubscription<Output, Failure>(self, subscriber)
    subscriptions.list.append(subscription)
    subscriber.receive(subscription: subscription)
    return subscription
  }
}

/// One subscription to a ``Broadcaster``.
///
/// It reaches its subscriber through two closures that are created where the subscriber's type is known, so that the
/// chain behind it is specialised.
@usableFromInline
final class SubjectSubscription<Output, Failure: Error>: Subscription, Described {
  @exclusivity(unchecked) @usableFromInline var deliver: ((Output) -> Subscribers.Demand)?
  @exclusivity(unchecked) @usableFromInline var conclude: ((Subscribers.Completion<Failure>) -> Void)?
  @exclusivity(unchecked) @usableFromInline var demand = Subscribers.Demand.none
  /// Whether the subscriber missed the newest value because of missing demand.
  @exclusivity(unchecked) @usableFromInline var missed: Bool
  @usableFromInline var source: (any Broadcaster<Output, Failure>)?
  @usableFromInline let description: String

  @inlinable
  init<S: Subscriber<Output, Failure>>(_ source: any Broadcaster<Output, Failure>, _ subscriber: S) {
    deliver = { subscriber.receive($0) }
    conclude = { subscriber.receive(completion: $0) }
    missed = source.newest != nil
    description = source.subscriptionLabel
    self.source = source
  }

  /// Delivers a value if there is demand for it.
  @inlinable
  func offer(_ value: Output) {
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
    if missed, let newest = source?.newest { offer(newest) }
  }

  /// Delivers a value if there is demand for it, then finishes.
  @inlinable
  func settle(_ value: Output) {
    guard demand > .none, let deliver else { return }
    self.deliver = nil
    _ = deliver(value)
    finish(.finished)
  }

  @inlinable
  func finish(_ completion: Subscribers.Completion<Failure>) {
    guard let conclude else { return }
    let held = close()
    conclude(completion)
    withExtendedLifetime(held) {}
  }

  /// Releases the subscriber and the source. The returned closure still holds the subscriber.
  @inlinable
  func close() -> ((Output) -> Subscribers.Demand)? {
    let held = deliver
    let source = self.source
    deliver = nil
    conclude = nil
    self.source = nil
    source?.subscriptions.remove(self)
    return held
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    guard demand > .none, let source else { return }
    self.demand += demand
    source.wanted(by: self)
  }

  @usableFromInline func cancel() { _ = close() }
}

/// The subscriptions to one publisher, in subscription order.
@usableFromInline
struct SubscriptionList<Output, Failure: Error> {
  @usableFromInline var list: ContiguousArray<SubjectSubscription<Output, Failure>> = []

  @inlinable init() {}

  @inlinable
  func send(_ value: Output) {
    for subscription in list { subscription.offer(value) }
  }

  /// Ends all subscriptions.
  @inlinable
  mutating func takeAll() -> ContiguousArray<SubjectSubscription<Output, Failure>> {
    defer { list = [] }
    return list
  }

  @inlinable
  mutating func remove(_ subscription: SubjectSubscription<Output, Failure>) {
    guard let index = list.firstIndex(where: { $0 === subscription }) else { return }
    list.remove(at: index)
    // Arrays keep their capacity when elements are removed.
    if list.capacity > 256, list.count < list.capacity / 8 { list = ContiguousArray(list.map { $0 }) }
  }
}
