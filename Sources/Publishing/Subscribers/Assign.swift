// SPDX-License-Identifier: Apache-2.0
extension Subscribers {
  /// A subscriber that requests everything and assigns the values to a property.
  ///
  /// It holds the object until it is completed or cancelled.
  public final class Assign<Root, Input>: Subscriber, Cancellable {
    public typealias Failure = Never

    /// The target object, or `nil` after the end.
    public final var object: Root? { target }
    public final let keyPath: ReferenceWritableKeyPath<Root, Input>

    @exclusivity(unchecked) @usableFromInline final var target: Root?
    /// Made where the key path is known, so that the compiler can replace it by a direct access.
    @usableFromInline final let set: (Root, Input) -> Void
    @exclusivity(unchecked) @usableFromInline final var phase = Phase.waiting
    @usableFromInline final var upstream: (any Subscription)?

    /// Assigns each value to `object[keyPath: keyPath]`.
    @inlinable @inline(__always)
    public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
      target = object
      self.keyPath = keyPath
      set = { $0[keyPath: keyPath] = $1 }
    }

    @inlinable
    public final func receive(subscription: any Subscription) {
      guard phase == .waiting else { return subscription.cancel() }
      phase = .live
      upstream = subscription
      subscription.request(.unlimited)
    }

    @inlinable
    public final func receive(_ value: Input) -> Subscribers.Demand {
      if let target { set(target, value) }
      return .none
    }

    public final func receive(completion: Subscribers.Completion<Never>) {
      if phase == .live { _ = end() }
    }

    public final func cancel() { end()?.cancel() }

    private func end() -> (any Subscription)? {
      let held = (upstream, target)
      phase = .done
      upstream = nil
      target = nil
      return held.0
    }
  }
}

extension Subscribers.Assign: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
  public final var description: String { "Assign \(Root.self)" }
  public final var customMirror: Mirror {
    Mirror(self, children: [("object", object as Any), ("keyPath", keyPath), ("status", phase)])
  }
  public final var playgroundDescription: Any { description }
}

extension Publisher where Failure == Never {
  /// Assigns every value to a property of an object, until the returned object is cancelled or released.
  ///
  /// The subscription retains `object`. Storing it in that same object creates a reference cycle until it is cancelled.
  @inlinable @inline(__always)
  public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root) -> AnyCancellable {
    let assign = Subscribers.Assign(object: object, keyPath: keyPath)
    subscribe(assign)
    return AnyCancellable(assign)
  }
}
