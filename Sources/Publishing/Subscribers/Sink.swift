// SPDX-License-Identifier: Apache-2.0
extension Subscribers {
  /// A subscriber that requests everything and passes it to closures.
  ///
  /// The closures are released at completion and cancellation.
  public final class Sink<Input, Failure: Error>: Subscriber, Cancellable {
    public final var receiveValue: (Input) -> Void { onValue }
    public final var receiveCompletion: (Subscribers.Completion<Failure>) -> Void { onCompletion }

    @exclusivity(unchecked) @usableFromInline final var onValue: (Input) -> Void
    @usableFromInline final var onCompletion: (Subscribers.Completion<Failure>) -> Void
    @exclusivity(unchecked) @usableFromInline final var phase = Phase.waiting
    @usableFromInline final var upstream: (any Subscription)?

    @inlinable
    public init(
      receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
      receiveValue: @escaping (Input) -> Void
    ) {
      onCompletion = receiveCompletion
      onValue = receiveValue
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
      onValue(value)
      return .none
    }

    public final func receive(completion: Subscribers.Completion<Failure>) {
      guard phase != .done else { return }
      let onCompletion = self.onCompletion
      let held = end()
      onCompletion(completion)
      withExtendedLifetime(held) {}
    }

    public final func cancel() { end().upstream?.cancel() }

    /// Ends the subscription and returns everything it held, so that it is released only after the state is consistent.
    private func end() -> (upstream: (any Subscription)?, onValue: (Input) -> Void, onCompletion: Any) {
      let held = (upstream: upstream, onValue: onValue, onCompletion: onCompletion as Any)
      phase = .done
      upstream = nil
      onValue = { _ in }
      onCompletion = { _ in }
      return held
    }
  }
}

extension Subscribers.Sink: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
  public final var description: String { "Sink" }
  public final var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
  public final var playgroundDescription: Any { description }
}

extension Publisher {
  /// Calls closures with everything that is published until the returned object is cancelled or released.
  ///
  /// Values sent during the subscription arrive before this method returns.
  @inlinable
  public func sink(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (Output) -> Void
  ) -> AnyCancellable {
    let sink = Subscribers.Sink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    subscribe(sink)
    return AnyCancellable(sink)
  }
}

extension Publisher where Failure == Never {
  /// Calls a closure with every value until the returned object is cancelled or released.
  @inlinable
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}
