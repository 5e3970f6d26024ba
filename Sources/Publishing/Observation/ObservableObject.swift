// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A class that announces its changes.
///
/// An object that declares no `objectWillChange` gets one that fires before any of its `@Published` properties changes.
public protocol ObservableObject: AnyObject {
  /// The type of ``objectWillChange``.
  associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
  where ObjectWillChangePublisher.Failure == Never

  /// Publishes before the object changes.
  var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
  /// Publishes before any `@Published` property of the object changes, including inherited ones. Always returns the
  /// same publisher, which is stored in those properties or, without any, in a process-wide table.
  public var objectWillChange: ObservableObjectPublisher {
    var properties: [any ObservableProperty] = []
    var mirror: Mirror? = Mirror(reflecting: self)
    while let level = mirror {
      properties += level.children.compactMap { $0.value as? any ObservableProperty }
      mirror = level.superclassMirror
    }
    guard !properties.isEmpty else { return publisherFromTable(for: self) }
    let publisher = properties.lazy.compactMap(\.objectWillChange).first ?? ObservableObjectPublisher()
    for property in properties { property.objectWillChange = publisher }
    return publisher
  }
}

/// A stored property that announces its changes for the object it belongs to.
protocol ObservableProperty {
  var objectWillChange: ObservableObjectPublisher? { get nonmutating set }
}

/// Publishes that an object is about to change.
public final class ObservableObjectPublisher: Publisher, Broadcaster {
  public typealias Output = Void
  public typealias Failure = Never

  @usableFromInline var subscriptions = SubscriptionList<Void, Never>()
  @usableFromInline var subscriptionLabel: String { "ObservableObjectPublisher" }

  public init() {}

  @inlinable public func receive<S: Subscriber<Void, Never>>(subscriber: S) { add(subscriber) }

  /// Publishes that the object is about to change.
  public func send() { subscriptions.send(()) }
}

// MARK: Objects without published properties

/// The publisher of one object. Objects of any isolation share the table, so both fields opt out of the check: the
/// table is accessed only under its lock, and the publisher is used only where its object is.
private final class TableEntry: Sendable {
  nonisolated(unsafe) weak var object: AnyObject?
  nonisolated(unsafe) let publisher = ObservableObjectPublisher()

  init(_ object: AnyObject) { self.object = object }
}

private struct PublisherTable {
  var entries: [ObjectIdentifier: TableEntry] = [:]
  /// The number of entries at which the entries of released objects are removed next.
  var limit = 64

  mutating func entry(for object: AnyObject) -> TableEntry {
    let key = ObjectIdentifier(object)
    // A released object may have had the same address.
    if let entry = entries[key], entry.object === object { return entry }
    if entries.count >= limit {
      entries = entries.filter { $0.value.object != nil }
      limit = max(64, entries.count * 2)
    }
    let entry = TableEntry(object)
    entries[key] = entry
    return entry
  }
}

private let table = Mutex(PublisherTable())

private func publisherFromTable(for object: AnyObject) -> ObservableObjectPublisher {
  table.withLock { $0.entry(for: object) }.publisher
}
