/// A subscriber of any kind, known by what it takes alone.
public struct AnySubscriber<Input, Failure: Error>: Subscriber {
  private let onSubscription: (any Subscription) -> Void
  private let onValue: (Input) -> Subscribers.Demand
  private let onCompletion: (Subscribers.Completion<Failure>) -> Void
  private let text: () -> String
  private let mirror: () -> Mirror
  private let playground: () -> Any
  public let combineIdentifier: CombineIdentifier

  /// Wraps a subscriber, and keeps its identifier.
  public init<S: Subscriber>(_ subscriber: S) where S.Input == Input, S.Failure == Failure {
    if let erased = subscriber as? AnySubscriber<Input, Failure> {
      self = erased
      return
    }
    onSubscription = subscriber.receive(subscription:)
    onValue = subscriber.receive(_:)
    onCompletion = subscriber.receive(completion:)
    text = { (subscriber as? any CustomStringConvertible)?.description ?? String(describing: S.self) }
    mirror = { (subscriber as? any CustomReflectable)?.customMirror ?? Mirror(subscriber, children: []) }
    playground = {
      (subscriber as? any CustomPlaygroundDisplayConvertible)?.playgroundDescription ?? String(describing: subscriber)
    }
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
    text = { "Anonymous AnySubscriber" }
    mirror = { Mirror(reflecting: "Anonymous AnySubscriber") }
    playground = { "Anonymous AnySubscriber" }
    combineIdentifier = CombineIdentifier()
  }

  public func receive(subscription: any Subscription) { onSubscription(subscription) }
  public func receive(_ value: Input) -> Subscribers.Demand { onValue(value) }
  public func receive(completion: Subscribers.Completion<Failure>) { onCompletion(completion) }
}

extension AnySubscriber: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
  public var description: String { text() }
  public var customMirror: Mirror { mirror() }
  public var playgroundDescription: Any { playground() }
}
