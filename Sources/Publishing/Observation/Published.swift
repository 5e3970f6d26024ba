// SPDX-License-Identifier: Apache-2.0
/// A property of a class that publishes each new value before it changes.
///
/// A subscriber receives the current value first. It should use the value that it receives, because the property still
/// has the previous one at that moment. Copies of the wrapper share one value.
@propertyWrapper
public struct Published<Value> {
  /// A reference, because reflection sees a copy of the wrapper and must still reach the property. It refers to another
  /// reference, so that assigning `$property` needs no exclusive access: the new publisher may read the property.
  @usableFromInline let box: PublishedBox<Value>

  @inlinable var storage: PublishedStorage<Value> { box.storage }

  @inlinable public init(initialValue: Value) { box = PublishedBox(PublishedStorage(initialValue)) }

  @inlinable public init(wrappedValue: Value) { self.init(initialValue: wrappedValue) }

  /// The publisher of the property (`$property`). Assigning another property's publisher connects the two.
  @inlinable public var projectedValue: Publisher {
    get { Publisher(storage: storage) }
    nonmutating set { box.storage = newValue.storage }
  }

  @available(*, unavailable, message: "@Published is only available on properties of classes")
  public var wrappedValue: Value {
    get { fatalError("@Published is only available on properties of classes") }
    set { fatalError("@Published is only available on properties of classes") }
  }

  @inlinable
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
  ) -> Value {
    get { object[keyPath: storageKeyPath].storage.value }
    set { object[keyPath: storageKeyPath].storage.assign(newValue) }
  }
}

extension Published {
  /// Publishes the current value of a property, then each new value before the property changes.
  public struct Publisher: Publishing.Publisher {
    public typealias Output = Value
    public typealias Failure = Never

    @usableFromInline let storage: PublishedStorage<Value>

    @inlinable init(storage: PublishedStorage<Value>) { self.storage = storage }

    @inlinable
    public func receive<S: Subscriber<Value, Never>>(subscriber: S) { storage.add(subscriber) }
  }
}

extension Published: ObservableProperty {
  var objectWillChange: ObservableObjectPublisher? {
    get { storage.objectWillChange }
    nonmutating set { storage.objectWillChange = newValue }
  }
}

extension Publisher where Failure == Never {
  /// Assigns every value to a `@Published` property while that property exists.
  ///
  /// The subscription does not keep the property's object alive and ends with it.
  @inlinable
  public func assign(to published: inout Published<Output>.Publisher) {
    let assignment = PublishedAssignment(published.storage)
    published.storage.assignments.append(assignment)
    subscribe(assignment)
  }
}

@usableFromInline
final class PublishedBox<Value> {
  @usableFromInline var storage: PublishedStorage<Value>
  @inlinable init(_ storage: PublishedStorage<Value>) { self.storage = storage }
}

@usableFromInline
final class PublishedStorage<Value>: Broadcaster {
  @usableFromInline typealias Output = Value
  @usableFromInline typealias Failure = Never

  @exclusivity(unchecked) @usableFromInline var value: Value
  /// The value that is being published and not yet stored in the property.
  @exclusivity(unchecked) @usableFromInline var incoming: Value?
  @exclusivity(unchecked) @usableFromInline var subscriptions = SubscriptionList<Value, Never>()
  @usableFromInline var subscriptionLabel: String { "PublishedSubject" }
  @usableFromInline var assignments: [PublishedAssignment<Value>] = []
  @exclusivity(unchecked) @usableFromInline var objectWillChange: ObservableObjectPublisher?

  @inlinable init(_ value: Value) { self.value = value }

  deinit {
    for assignment in assignments { assignment.storage = nil }
    for assignment in assignments { assignment.cancel() }
  }

  @usableFromInline var newest: Value? { .some(incoming ?? value) }

  @inlinable
  func receive<S: Subscriber<Value, Never>>(subscriber: S) { add(subscriber) }

  @inlinable
  func assign(_ newValue: Value) {
    objectWillChange?.send()
    incoming = .some(newValue)
    subscriptions.send(newValue)
    incoming = nil
    value = newValue
  }
}

/// The subscriber of `assign(to:)`, held by the property.
@usableFromInline
final class PublishedAssignment<Value>: Link, Subscriber {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Failure = Never

  /// Nil after the end of the property, which sets this before anything else, so the reference is never stale.
  @usableFromInline unowned(unsafe) var storage: PublishedStorage<Value>?

  @inlinable init(_ storage: PublishedStorage<Value>) { self.storage = storage }

  @inlinable
  func receive(subscription: any Subscription) {
    if attach(subscription) { subscription.request(.unlimited) }
  }

  @inlinable
  func receive(_ input: Value) -> Subscribers.Demand {
    if phase == .live { storage?.assign(input) }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Never>) {
    guard phase == .live else { return }
    _ = detach()
    storage?.assignments.removeAll { $0 === self }
  }

  @usableFromInline override var description: String { "PublishedSubscriber" }
}
