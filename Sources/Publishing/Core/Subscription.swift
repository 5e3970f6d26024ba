// SPDX-License-Identifier: Apache-2.0
/// The connection between a publisher and a subscriber, by which the subscriber asks for values and cancels.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
  /// Asks for more values; requests add up.
  ///
  /// A request for `.none` does nothing. (Combine traps on it in some of its publishers; those of this module never
  /// do.)
  func request(_ demand: Subscribers.Demand)
}

/// The namespace of ready-made subscriptions.
public enum Subscriptions {
  /// The subscription of a publisher without values: requests and cancellation do nothing.
  public static var empty: any Subscription { EmptySubscription.instance }
}

final class EmptySubscription: Subscription, Described, Sendable {
  static let instance = EmptySubscription()
  func request(_ demand: Subscribers.Demand) {}
  func cancel() {}
  var description: String { "Empty" }
}

extension Subscriber {
  /// Gives this subscriber an empty subscription and the end.
  @usableFromInline
  func receiveEmpty(_ completion: Subscribers.Completion<Failure> = .finished) {
    receive(subscription: Subscriptions.empty)
    receive(completion: completion)
  }
}
