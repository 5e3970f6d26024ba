// SPDX-License-Identifier: Apache-2.0
extension Subscribers {
  /// A subscriber that asks for everything and writes it to a property.
  ///
  /// It holds the object until it is completed or cancelled.
  public final class Assign<Root, Input>: Subscriber, Cancellable {
    /// It cannot fail.
    public typealias Failure = Never

    /// The object written to, `nil` after the end.
    public private(set) final var object: Root?
    /// The property written to.
    public final let keyPath: ReferenceWritableKeyPath<Root, Input>

    private var phase = Phase.waiting
    private var upstream: (any Subscription)?

    /// Writes each value to `object[keyPath: keyPath]`.
    public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
      self.object = object
      self.keyPath = keyPath
    }

    /// Takes the subscription.
    public final func receive(subscription: any Subscription) {
      guard phase == .waiting else { return subscription.cancel() }
      phase = .live
      upstream = subscription
      subscription.request(.unlimited)
    }

    /// Takes a value.
    public final func receive(_ value: Input) -> Subscribers.Demand {
      if phase == .live { object?[keyPath: keyPath] = value }
      return .none
    }

    /// Takes the end.
    public final func receive(completion: Subscribers.Completion<Never>) {
      if phase == .live { _ = end() }
    }

    /// Ends the subscription; a second call does nothing.
    public final func cancel() { end()?.cancel() }

    private func end() -> (any Subscription)? {
      let last = upstream
      let object = self.object
      phase = .done
      upstream = nil
      self.object = nil
      withExtendedLifetime(object) {}
      return last
    }
  }
}

extension Subscribers.Assign: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
  /// What `print()` shows.
  public final var description: String { "Assign \(Root.self)" }
  /// What reflection shows.
  public final var customMirror: Mirror {
    Mirror(
      self,
      children: [
        ("object", object as Any), ("keyPath", keyPath), ("status", phase),
      ])
  }
  /// What a playground shows.
  public final var playgroundDescription: Any { description }
}

extension Publisher where Failure == Never {
  /// Writes every value to a property of an object, until the returned cancellable is cancelled or released.
  ///
  /// The subscription holds the object: kept in that very object, it is a cycle until cancelled.
  public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root) -> AnyCancellable {
    let assign = Subscribers.Assign(object: object, keyPath: keyPath)
    subscribe(assign)
    return AnyCancellable(assign)
  }
}
