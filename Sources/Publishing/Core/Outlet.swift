// SPDX-License-Identifier: Apache-2.0
/// A subscriber as two closures, formed where its concrete type is known.
///
/// Operators hold their subscribers this way. Held by their types, a chain would be one type that grows with each
/// operator, and the compiler stops specialising it as soon as an operator occurs twice; one call through a closure per
/// operator costs far less.
@usableFromInline
struct Outlet<Input, Failure: Error>: Subscriber {
  @usableFromInline
  enum Signal {
    case subscription(any Subscription)
    case completion(Subscribers.Completion<Failure>)
  }

  @usableFromInline let onValue: (Input) -> Subscribers.Demand
  @usableFromInline let onSignal: (Signal) -> Void

  @inlinable
  init<S: Subscriber<Input, Failure>>(_ subscriber: S) {
    let handle = SubscriptionHandle()
    onValue = { subscriber.receive($0) }
    onSignal = { signal in
      switch signal {
      case .subscription(let subscription):
        handle.target = subscription
        subscriber.receive(subscription: handle)
      case .completion(let completion):
        handle.target = nil
        subscriber.receive(completion: completion)
      }
    }
  }

  /// A new one at each call: a publisher never sees an outlet.
  @usableFromInline var combineIdentifier: CombineIdentifier { CombineIdentifier() }

  @inlinable func receive(subscription: any Subscription) { onSignal(.subscription(subscription)) }
  @inlinable func receive(_ input: Input) -> Subscribers.Demand { onValue(input) }
  @inlinable func receive(completion: Subscribers.Completion<Failure>) { onSignal(.completion(completion)) }
}

/// The subscription that an operator gives to its subscriber.
///
/// It forgets the operator at the end. The operator holds the subscriber, so a subscriber that kept its subscription
/// would otherwise keep both alive forever.
@usableFromInline
final class SubscriptionHandle: Subscription, Described {
  @exclusivity(unchecked) @usableFromInline var target: (any Subscription)?

  @inlinable init() {}

  @inlinable
  func request(_ demand: Subscribers.Demand) {
    if demand > .none { target?.request(demand) }
  }

  @inlinable
  func cancel() {
    let last = target
    target = nil
    last?.cancel()
  }

  @usableFromInline var description: String { target.map { String(describing: $0) } ?? "Empty" }
}
