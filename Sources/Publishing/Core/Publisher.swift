// SPDX-License-Identifier: Apache-2.0
/// A type that can tell its subscribers a sequence of values over time.
///
/// A publisher is a recipe: nothing runs until somebody subscribes, and each subscription runs on its own unless the
/// publisher says otherwise (subjects, `share()`, `multicast`).
///
/// Nothing in this module is `Sendable` and nothing takes a lock: a chain lives in the isolation region that built it.
public protocol Publisher<Output, Failure> {
  /// The kind of values.
  associatedtype Output
  /// The kind of error that can end the sequence; `Never` if none can.
  associatedtype Failure: Error

  /// Attaches a subscriber; implemented by publishers, called through ``subscribe(_:)-(S)``.
  ///
  /// The publisher answers with one `receive(subscription:)`, then values as far as they are asked for, then at most
  /// one completion.
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {
  /// Attaches a subscriber.
  @inlinable
  public func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
    receive(subscriber: subscriber)
  }

  /// Sends everything that this publisher publishes into a subject, until the returned cancellable is cancelled or
  /// released.
  @inlinable
  public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable where S.Output == Output, S.Failure == Failure {
    let subscriber = SubjectSubscriber(subject)
    subscribe(subscriber)
    return AnyCancellable(subscriber)
  }
}

/// The namespace of the types that operators and sources return.
public enum Publishers {}
