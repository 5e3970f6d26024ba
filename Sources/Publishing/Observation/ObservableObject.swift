// SPDX-License-Identifier: Apache-2.0
/// A class that tells when it is about to change.
///
/// Without a publisher of its own, an object gets one that fires before any of its `@Published` properties changes.
public protocol ObservableObject: AnyObject {
  /// The kind of publisher that tells it.
  associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
  where ObjectWillChangePublisher.Failure == Never

  /// Publishes before the object changes.
  var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
  /// Publishes before any `@Published` property of the object changes, inherited ones included.
  ///
  /// It is kept by those properties: an object without any gets a new publisher at each call.
  public var objectWillChange: ObservableObjectPublisher {
    var properties: [any ObservableProperty] = []
    var mirror: Mirror? = Mirror(reflecting: self)
    while let level = mirror {
      properties += level.children.compactMap { $0.value as? any ObservableProperty }
      mirror = level.superclassMirror
    }
    let publisher = properties.lazy.compactMap(\.objectWillChange).first ?? ObservableObjectPublisher()
    for property in properties { property.objectWillChange = publisher }
    return publisher
  }
}

/// A stored property that tells the object which it belongs to before it changes.
protocol ObservableProperty {
  var objectWillChange: ObservableObjectPublisher? { get nonmutating set }
}

/// A publisher that tells before an object changes.
public final class ObservableObjectPublisher: Publisher {
  /// What it publishes.
  public typealias Output = Void
  /// It cannot fail.
  public typealias Failure = Never

  fileprivate var conduits = Conduits<Void, Never>()

  /// A publisher without subscribers.
  public init() {}

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
    let conduit = ObjectWillChangeConduit(self, { subscriber.receive($0) }, { subscriber.receive(completion: $0) })
    conduits.add(conduit)
    subscriber.receive(subscription: conduit)
  }

  /// Tells that the object is about to change.
  public func send() {
    for conduit in conduits.list { conduit.offer(()) }
  }
}

private final class ObjectWillChangeConduit: Conduit<Void, Never> {
  private var publisher: ObservableObjectPublisher?

  init(_ publisher: ObservableObjectPublisher, _ deliver: @escaping Deliver, _ conclude: @escaping Conclude) {
    self.publisher = publisher
    super.init(deliver, conclude)
  }

  override func leave() {
    let publisher = self.publisher
    self.publisher = nil
    publisher?.conduits.remove(self)
  }

  override var description: String { "ObservableObjectPublisher" }
}
