// SPDX-License-Identifier: Apache-2.0
/// A subscriber that hides the type of another.
public struct AnySubscriber<Input, Failure: Error>: Subscriber {
  @usableFromInline let onSubscription: (any Subscription) -> Void
  @usableFromInline let onValue: (Input) -> Subscribers.Demand
  @usableFromInline let onCompletion: (Subscribers.Completion<Failure>) -> Void
  /// The hidden subscriber, used for its description.
  @usableFromInline let wrapped: Any
  public let combineIdentifier: CombineIdentifier

  /// Wraps a subscriber and adopts its identifier.
  @inlinable
  public init<S: Subscriber<Input, Failure>>(_ subscriber: S) {
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

  /// Sends everything to a subject without keeping it alive.
  public init<S: Subject<Input, Failure>>(_ subject: S) { self.init(SubjectSubscriber(subject)) }

  /// Calls closures. Without `receiveSubscription`, it requests nothing; without `receiveValue`, it requests no further
  /// values.
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

  @inlinable public func receive(subscription: any Subscription) { onSubscription(subscription) }
  @inlinable public func receive(_ value: Input) -> Subscribers.Demand { onValue(value) }
  @inlinable public func receive(completion: Subscribers.Completion<Failure>) { onCompletion(completion) }
}

extension AnySubscriber: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
  public var description: String {
    (wrapped as? any CustomStringConvertible)?.description ?? String(describing: type(of: wrapped))
  }
  public var customMirror: Mirror { (wrapped as? any CustomReflectable)?.customMirror ?? Mirror(reflecting: wrapped) }
  public var playgroundDescription: Any {
    (wrapped as? any CustomPlaygroundDisplayConvertible)?.playgroundDescription ?? description
  }
}
