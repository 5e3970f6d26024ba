// SPDX-License-Identifier: Apache-2.0
extension Subscribers {
  /// A subscriber that asks for everything and hands it to closures.
  ///
  /// The closures are let go at completion and at cancellation.
  public final class Sink<Input, Failure: Error>: Subscriber, Cancellable {
    /// What is called with each value.
    public final var receiveValue: (Input) -> Void { onValue }
    /// What is called at the end.
    public final var receiveCompletion: (Subscribers.Completion<Failure>) -> Void { onCompletion }

    @exclusivity(unchecked) @usableFromInline final var onValue: (Input) -> Void
    @usableFromInline final var onCompletion: (Subscribers.Completion<Failure>) -> Void
    @exclusivity(unchecked) @usableFromInline final var phase = Phase.waiting
    @usableFromInline final var upstream: (any Subscription)?

    /// Keeps the closures until the end.
    @inlinable
    public init(
      receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
      receiveValue: @escaping (Input) -> Void
    ) {
      onCompletion = receiveCompletion
      onValue = receiveValue
    }

    /// Takes the subscription.
    @inlinable
    public final func receive(subscription: any Subscription) {
      guard phase == .waiting else { return subscription.cancel() }
      phase = .live
      upstream = subscription
      subscription.request(.unlimited)
    }

    /// Takes a value.
    @inlinable
    public final func receive(_ value: Input) -> Subscribers.Demand {
      onValue(value)
      return .none
    }

    /// Takes the end.
    public final func receive(completion: Subscribers.Completion<Failure>) {
      guard phase != .done else { return }
      let onCompletion = self.onCompletion
      let held = end()
      onCompletion(completion)
      withExtendedLifetime(held) {}
    }

    /// Ends the subscription; a second call does nothing.
    public final func cancel() {
      let held = end()
      held.upstream?.cancel()
    }

    /// Ends, and hands out everything that was held, so that it is released when the state is settled.
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
  /// What `print()` shows.
  public final var description: String { "Sink" }
  /// What reflection shows.
  public final var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
  /// What a playground shows.
  public final var playgroundDescription: Any { description }
}

extension Publisher {
  /// Calls closures with everything that is published, until the returned cancellable is cancelled or released.
  ///
  /// Values sent while subscribing arrive before this returns.
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
  /// Calls a closure with every value, until the returned cancellable is cancelled or released.
  @inlinable
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}
