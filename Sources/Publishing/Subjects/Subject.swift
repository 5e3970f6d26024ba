// SPDX-License-Identifier: Apache-2.0
/// A publisher that publishes what others send into it.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
  /// Publishes a value.
  func send(_ value: Output)

  /// Ends the sequence; everything sent afterwards is ignored.
  func send(completion: Subscribers.Completion<Failure>)

  /// Gives the subject an upstream to ask for values; called by whoever subscribes it to a publisher.
  func send(subscription: any Subscription)
}

extension Subject where Output == Void {
  /// Publishes an empty value.
  @inlinable
  public func send() { send(()) }
}

/// A subject that keeps the subscriptions it was given, and lets go of one that has ended.
@usableFromInline
protocol UpstreamKeeper: AnyObject {
  func forget(_ subscription: any Subscription)
}

/// Sends everything it receives into a subject, and is to that subject its subscription.
@usableFromInline
final class SubjectSubscriber<S: Subject>: Subscriber, Subscription, Described {
  @usableFromInline typealias Input = S.Output
  @usableFromInline typealias Failure = S.Failure

  @usableFromInline var subject: S?
  @usableFromInline var upstream: (any Subscription)?

  @inlinable
  init(_ subject: S) { self.subject = subject }

  @inlinable
  func receive(subscription: any Subscription) {
    guard let subject, upstream == nil else { return subscription.cancel() }
    upstream = subscription
    subject.send(subscription: self)
  }

  @inlinable
  func receive(_ input: S.Output) -> Subscribers.Demand {
    if upstream != nil { subject?.send(input) }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<S.Failure>) {
    guard let subject, upstream != nil else { return }
    self.subject = nil
    upstream = nil
    (subject as? any UpstreamKeeper)?.forget(self)
    subject.send(completion: completion)
  }

  @inlinable
  func request(_ demand: Subscribers.Demand) { upstream?.request(demand) }

  @inlinable
  func cancel() {
    let last = upstream
    let subject = self.subject
    upstream = nil
    self.subject = nil
    last?.cancel()
    (subject as? any UpstreamKeeper)?.forget(self)
  }

  @usableFromInline
  var description: String { "Subject" }
}
