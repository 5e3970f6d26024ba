// SPDX-License-Identifier: Apache-2.0
/// A property of a class that publishes its value whenever it is assigned, before it changes.
///
/// A subscriber gets the current value first. It should use the value that it is given: the property still has the one
/// before. Copies of the wrapper share one value, which is as it should be for a property of a class.
@propertyWrapper
public struct Published<Value> {
  /// A reference, so that reflection, which sees a copy of the wrapper, reaches the property itself; and to a
  /// reference, so that assigning `$property` needs no exclusive access to the property: what is assigned may read it.
  private let box: PublishedBox<Value>

  fileprivate var storage: PublishedStorage<Value> { box.storage }

  /// A property with a value.
  public init(initialValue: Value) { box = PublishedBox(PublishedStorage(initialValue)) }

  /// A property with a value.
  public init(wrappedValue: Value) { self.init(initialValue: wrappedValue) }

  /// The publisher of the property, as `$property`. Assigning one makes two properties one.
  public var projectedValue: Publisher {
    get { Publisher(storage: storage) }
    nonmutating set { box.storage = newValue.storage }
  }

  /// Only properties of classes can be published.
  @available(*, unavailable, message: "@Published is only available on properties of classes")
  public var wrappedValue: Value {
    get { fatalError("@Published is only available on properties of classes") }
    set { fatalError("@Published is only available on properties of classes") }
  }

  /// Reads and writes the property of an object.
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
  /// A publisher of a property's value: the current one, then each new one, before the property changes.
  public struct Publisher: Publishing.Publisher {
    /// What it publishes.
    public typealias Output = Value
    /// It cannot fail.
    public typealias Failure = Never

    fileprivate let storage: PublishedStorage<Value>

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
      let conduit = PublishedConduit(storage, { subscriber.receive($0) }, { subscriber.receive(completion: $0) })
      storage.conduits.add(conduit)
      subscriber.receive(subscription: conduit)
    }
  }
}

extension Published: ObservableProperty {
  var objectWillChange: ObservableObjectPublisher? {
    get { storage.objectWillChange }
    nonmutating set { storage.objectWillChange = newValue }
  }
}

extension Publisher where Failure == Never {
  /// Writes every value to a `@Published` property, for as long as that property exists.
  ///
  /// The subscription does not hold the property's object; it ends with it.
  public func assign(to published: inout Published<Output>.Publisher) {
    let assignment = PublishedAssignment(published.storage)
    published.storage.assignments.append(assignment)
    subscribe(assignment)
  }
}

private final class PublishedBox<Value> {
  var storage: PublishedStorage<Value>
  init(_ storage: PublishedStorage<Value>) { self.storage = storage }
}

private final class PublishedStorage<Value> {
  private(set) var value: Value
  /// The value that is being published, which the property does not have yet.
  private var incoming: Value?
  var conduits = Conduits<Value, Never>()
  var assignments: [PublishedAssignment<Value>] = []
  var objectWillChange: ObservableObjectPublisher?

  init(_ value: Value) { self.value = value }

  deinit {
    for assignment in assignments { assignment.cancel() }
  }

  /// What a subscriber gets that asks now.
  var newest: Value { incoming ?? value }

  func assign(_ newValue: Value) {
    objectWillChange?.send()
    incoming = .some(newValue)
    for conduit in conduits.list { conduit.offer(newValue) }
    incoming = nil
    value = newValue
  }
}

private final class PublishedConduit<Value>: Conduit<Value, Never> {
  private var storage: PublishedStorage<Value>?

  init(_ storage: PublishedStorage<Value>, _ deliver: @escaping Deliver, _ conclude: @escaping Conclude) {
    self.storage = storage
    super.init(deliver, conclude)
    missed = true
  }

  override var newest: Value? { storage?.newest }

  override func request(_ demand: Subscribers.Demand) {
    guard demand > .none, let storage else { return }
    self.demand += demand
    if missed { offer(storage.newest) }
  }

  override func leave() {
    let storage = self.storage
    self.storage = nil
    storage?.conduits.remove(self)
  }

  override var description: String { "PublishedSubject" }
}

/// What `assign(to:)` subscribes: the property holds it, not the other way round.
private final class PublishedAssignment<Value>: Link, Subscriber {
  typealias Input = Value
  typealias Failure = Never

  private weak var storage: PublishedStorage<Value>?

  init(_ storage: PublishedStorage<Value>) { self.storage = storage }

  func receive(subscription: any Subscription) {
    if attach(subscription) { subscription.request(.unlimited) }
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    if phase == .live { storage?.assign(input) }
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {
    guard phase == .live else { return }
    _ = detach()
    storage?.assignments.removeAll { $0 === self }
  }

  override var description: String { "PublishedSubscriber" }
}
