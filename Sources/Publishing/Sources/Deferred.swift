// SPDX-License-Identifier: Apache-2.0
/// A publisher that is made anew for each subscriber.
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
  /// What it publishes.
  public typealias Output = DeferredPublisher.Output
  /// What it can fail with.
  public typealias Failure = DeferredPublisher.Failure

  /// Makes the publisher for one subscriber.
  public let createPublisher: () -> DeferredPublisher

  /// Makes a publisher with a closure at each subscription.
  @inlinable
  public init(createPublisher: @escaping () -> DeferredPublisher) { self.createPublisher = createPublisher }

  /// Attaches a subscriber.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    createPublisher().receive(subscriber: subscriber)
  }
}
