// SPDX-License-Identifier: Apache-2.0
/// The bond between one publisher and one subscriber: the subscriber asks for values through it and ends it by
/// cancelling.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
  /// Allows the publisher to send so many values more; requests add up.
  func request(_ demand: Subscribers.Demand)
}

/// The namespace of ready-made subscriptions.
public enum Subscriptions {}

extension Subscriptions {
  /// The subscription of a publisher that has no value to give: requests and cancellation do nothing.
  public static var empty: any Subscription { EmptySubscription.instance }
}

final class EmptySubscription: Subscription, Described, Sendable {
  static let instance = EmptySubscription()
  func request(_ demand: Subscribers.Demand) {}
  func cancel() {}
  var description: String { "Empty" }
}
