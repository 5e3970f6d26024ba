// SPDX-License-Identifier: Apache-2.0
/// A subscriber of any kind, known by what it takes alone.
public struct AnySubscriber<Input, Failure: Error>: Subscriber {
  @usableFromInline let onSubscription: (any Subscription) -> Void
  @usableFromInline let onValue: (Input) -> Subscribers.Demand
  @usableFromInline let onCompletion: (Subscribers.Completion<Failure>) -> Void
  /// What is wrapped, as far as it is shown.
  @usableFromInline let wrapped: Any
  public let combineIdentifier: CombineIdentifier

  /// Wraps a subscriber, and keeps its identifier.
  @inlinable
  public init<S: Subscriber>(_ subscriber: S) where S.Input == Input, S.Failure == Failure {
    if let erased = subscriber as? AnySubscriber<Input, Failure> {
      self = erased
      return
    }
    onSubscription = { subscriber.receive(subscription: $0) }
    onValue = { subscriber.receive($0) }
    onCompletion = { subscriber.receive(completion: $0) }
    wrapped = subscriber
    combineIdentifier = subscriber.combineIdentifier
  }

  /// Sends what it takes into a subject.
  public init<S: Subject>(_ subject: S) where S.Output == Input, S.Failure == Failure {
    self.init(SubjectSubscriber(subject))
  }

  /// Calls closures. Without `receiveSubscription` nothing is ever asked for, without `receiveValue` no more is.
  public init(
    receiveSubscription: ((any Subscription) -> Void)? = nil,
    receiveValue: ((Input) -> Subscribers.Demand)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil
  ) {
    onSubscription = receiveSubscription ?? { _ in }
    onValue = receiveValue ?? { _ in .none }
    onCompletion = receiveCompletion ?? { _ in }
    wrapped = "Anonymous AnySubscriber"
    combineIdentifier = CombineIdentifier()
  }

  /// Takes the subscription.
  @inlinable
  public func receive(subscription: any Subscription) { onSubscription(subscription) }
  /// Takes a value.
  @inlinable
  public func receive(_ value: Input) -> Subscribers.Demand { onValue(value) }
  /// Takes the end.
  @inlinable
  public func receive(completion: Subscribers.Completion<Failure>) { onCompletion(completion) }
}

extension AnySubscriber: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
  /// What `print()` shows.
  public var description: String {
    (wrapped as? any CustomStringConvertible)?.description ?? String(describing: type(of: wrapped))
  }
  /// What reflection shows.
  public var customMirror: Mirror { (wrapped as? any CustomReflectable)?.customMirror ?? Mirror(reflecting: wrapped) }
  /// What a playground shows.
  public var playgroundDescription: Any {
    (wrapped as? any CustomPlaygroundDisplayConvertible)?.playgroundDescription ?? description
  }
}
