// SPDX-License-Identifier: Apache-2.0
/// Something that can be told to stop.
public protocol Cancellable {
  /// Stops it; a second call does nothing.
  func cancel()
}

extension Cancellable {
  /// Keeps this, wrapped in an `AnyCancellable`, in a collection.
  @inlinable
  public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
    AnyCancellable(self).store(in: &collection)
  }

  /// Keeps this, wrapped in an `AnyCancellable`, in a set.
  @inlinable
  public func store(in set: inout Set<AnyCancellable>) {
    AnyCancellable(self).store(in: &set)
  }
}

/// A cancellable of any kind, which cancels when it is released.
public final class AnyCancellable: Cancellable, Hashable {
  private var action: (() -> Void)?

  /// Runs a closure on cancellation, once.
  public init(_ cancel: @escaping () -> Void) { action = cancel }

  /// Cancels another cancellable, once.
  public init<C: Cancellable>(_ canceller: C) { action = canceller.cancel }

  deinit { action?() }

  /// Ends the subscription; a second call does nothing.
  public func cancel() {
    let action = self.action
    self.action = nil
    action?()
  }

  /// Two are equal if they are the same object.
  public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }

  /// Hashes what equality compares.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// Keeps this in a collection.
  public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
    collection.append(self)
  }

  /// Keeps this in a set.
  public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }
}
