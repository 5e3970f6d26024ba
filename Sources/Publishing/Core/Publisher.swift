// SPDX-License-Identifier: Apache-2.0
/// A type that delivers a sequence of values over time to its subscribers.
///
/// A publisher is a recipe: nothing runs before a subscription, and each subscription runs independently unless the
/// publisher documents otherwise (subjects, `share()`, `multicast`).
///
/// Nothing in this module is `Sendable` or takes a lock, except where documented: a chain stays in the isolation region
/// that built it.
public protocol Publisher<Output, Failure> {
  /// The type of the values.
  associatedtype Output
  /// The type of error that can end the sequence; `Never` if none can.
  associatedtype Failure: Error

  /// Attaches a subscriber. Publishers implement this; callers use `subscribe(_:)`.
  ///
  /// The publisher calls `receive(subscription:)` once, then sends at most as many values as requested, then at most
  /// one completion.
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {
  /// Attaches a subscriber.
  @inlinable
  public func subscribe<S: Subscriber<Output, Failure>>(_ subscriber: S) { receive(subscriber: subscriber) }

  /// Sends everything from this publisher to a subject until the returned object is cancelled or released.
  ///
  /// The subscription does not keep the subject alive.
  @inlinable
  public func subscribe<S: Subject<Output, Failure>>(_ subject: S) -> AnyCancellable {
    let subscriber = SubjectSubscriber(subject)
    subscribe(subscriber)
    return AnyCancellable(subscriber)
  }

  /// Attaches a subscriber that accepts any error.
  @inlinable
  func receiveErased<S: Subscriber<Output, any Error>>(_ subscriber: S) {
    receive(subscriber: ErrorMapping({ $0 }, subscriber))
  }
}

/// The namespace of the publishers that operators and sources return.
public enum Publishers {
  /// A publisher that changes what another one, its upstream, publishes.
  public protocol Operator<Upstream>: Publisher {
    /// The type of the publisher that is changed.
    associatedtype Upstream: Publisher
    associatedtype Output = Upstream.Output
    associatedtype Failure = Upstream.Failure
  }
}
