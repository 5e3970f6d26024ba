// SPDX-License-Identifier: Apache-2.0
/// A subscriber as two closures, created where its concrete type is known.
///
/// Operators hold their subscribers this way. If they stored the concrete type, a chain's type would grow with each
/// operator, and the compiler stops specialising when an operator occurs twice. One call through a closure per operator
/// costs far less.
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

  /// Returns a new identifier each time. This is harmless, since publishers never compare outlets.
  @usableFromInline var combineIdentifier: CombineIdentifier { CombineIdentifier() }

  @inlinable func receive(subscription: any Subscription) { onSignal(.subscription(subscription)) }
  @inlinable func receive(_ input: Input) -> Subscribers.Demand { onValue(input) }
  @inlinable func receive(completion: Subscribers.Completion<Failure>) { onSignal(.completion(completion)) }
}

/// The subscription that an operator sends to its subscriber.
///
/// It releases the operator at the end. The operator holds the subscriber, so a subscriber that kept its subscription
/// would otherwise create a reference cycle.
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
