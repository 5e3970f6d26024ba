// SPDX-License-Identifier: Apache-2.0
/// A subscriber as two closures, which are made where its type is known.
///
/// Links hold their subscribers so. Held by their types, a chain would be one type that grows with each operator, and
/// the compiler gives up specialising it as soon as an operator occurs twice; one call through a closure for each
/// operator costs far less than that.
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
  init<S: Subscriber>(_ subscriber: S) where S.Input == Input, S.Failure == Failure {
    onValue = { subscriber.receive($0) }
    onSignal = { signal in
      switch signal {
      case .subscription(let subscription): subscriber.receive(subscription: subscription)
      case .completion(let completion): subscriber.receive(completion: completion)
      }
    }
  }

  /// A new one at each call: an outlet is never what a publisher sees.
  @usableFromInline
  var combineIdentifier: CombineIdentifier { CombineIdentifier() }

  @inlinable
  func receive(subscription: any Subscription) { onSignal(.subscription(subscription)) }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand { onValue(input) }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) { onSignal(.completion(completion)) }
}
