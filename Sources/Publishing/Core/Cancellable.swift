// SPDX-License-Identifier: Apache-2.0
/// An activity that can be stopped.
public protocol Cancellable {
  /// Stops the activity. Further calls have no effect.
  func cancel()
}

extension Cancellable {
  /// Stores this, wrapped in an `AnyCancellable`, in a collection.
  @inlinable
  public func store<C: RangeReplaceableCollection<AnyCancellable>>(in collection: inout C) {
    AnyCancellable(self).store(in: &collection)
  }

  /// Stores this, wrapped in an `AnyCancellable`, in a set.
  @inlinable
  public func store(in set: inout Set<AnyCancellable>) { AnyCancellable(self).store(in: &set) }
}

/// Cancels another cancellable, or runs a closure, when it is released.
public final class AnyCancellable: Cancellable, Hashable {
  private var action: (() -> Void)?

  /// Creates a cancellable that runs a closure once.
  public init(_ cancel: @escaping () -> Void) { action = cancel }

  /// Creates a cancellable that cancels another one once.
  public init<C: Cancellable>(_ canceller: C) { action = canceller.cancel }

  deinit { action?() }

  public func cancel() {
    let action = self.action
    self.action = nil
    action?()
  }

  public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// Stores this in a collection.
  public func store<C: RangeReplaceableCollection<AnyCancellable>>(in collection: inout C) { collection.append(self) }

  /// Stores this in a set.
  public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }
}
