// SPDX-License-Identifier: Apache-2.0
/// Connects a publisher and a subscriber. The subscriber uses it to request values and to cancel.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
  /// Requests more values. Requests add up.
  ///
  /// Requesting `.none` has no effect. (Some of Combine's publishers trap.)
  func request(_ demand: Subscribers.Demand)
}

/// The namespace of ready-made subscriptions.
public enum Subscriptions {
  /// A subscription for publishers without values. Requests and cancellation have no effect.
  public static var empty: any Subscription { EmptySubscription.instance }
}

final class EmptySubscription: Subscription, Described, Sendable {
  static let instance = EmptySubscription()
  func request(_ demand: Subscribers.Demand) {}
  func cancel() {}
  var description: String { "Empty" }
}

extension Subscriber {
  /// Sends an empty subscription and the completion to this subscriber.
  @inlinable
  func receiveEmpty(_ completion: Subscribers.Completion<Failure> = .finished) {
    receive(subscription: Subscriptions.empty)
    receive(completion: completion)
  }
}
