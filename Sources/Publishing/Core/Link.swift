// SPDX-License-Identifier: Apache-2.0
/// The state of a running operator.
@usableFromInline
enum Phase: UInt8 {
  /// Subscribed to its upstream, which has not answered yet.
  case waiting
  /// Between a subscription and its end.
  case live
  /// The last value is on its way down; only cancellation still counts.
  case ending
  /// Completed or cancelled: nothing passes any more.
  case done
}

/// The base of everything that is subscribed to an upstream.
///
/// The phase is kept beside the subscription, not around it, so that the test that each value has to pass is one byte.
/// `@exclusivity(unchecked)`, here and in the other classes of this module: each access is one load or one store, and
/// no foreign code runs inside it.
@usableFromInline
class Link: Subscription, Described {
  @exclusivity(unchecked) @usableFromInline final var phase = Phase.waiting
  @exclusivity(unchecked) @usableFromInline final var upstream: (any Subscription)?

  @inlinable init() {}

  /// Takes the first subscription and cancels every other; returns whether this was the first.
  @inlinable
  final func attach(_ subscription: any Subscription) -> Bool {
    guard phase == .waiting else {
      subscription.cancel()
      return false
    }
    phase = .live
    upstream = subscription
    return true
  }

  /// Ends the link and returns its upstream subscription, for the last time.
  @inlinable
  final func detach() -> (any Subscription)? {
    phase = .done
    let last = upstream
    upstream = nil
    return last
  }

  /// Asks upstream: right for an operator that neither keeps nor multiplies values.
  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    if phase == .live { upstream?.request(demand) }
  }

  @usableFromInline func cancel() { detach()?.cancel() }

  @usableFromInline var description: String { "\(Self.self)" }
}

/// The base of the operators with one upstream and one subscriber. Passes on the subscription and the completion; what
/// happens to a value is up to the subclass.
@usableFromInline
class OperatorLink<Input, Output, Failure: Error>: Link, Subscriber {
  @usableFromInline final let label: String
  @usableFromInline final let downstream: Outlet<Output, Failure>

  @inlinable
  init<S: Subscriber<Output, Failure>>(_ label: String, _ subscriber: S) {
    self.label = label
    downstream = Outlet(subscriber)
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if attach(subscription) { downstream.receive(subscription: self) }
  }

  @inlinable func receive(_ input: Input) -> Subscribers.Demand { .none }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    _ = detach()
    downstream.receive(completion: completion)
  }

  /// Cancels upstream and completes, if the subscription stands.
  @inlinable
  final func end(_ completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    detach()?.cancel()
    downstream.receive(completion: completion)
  }

  /// Sends the last value, cancels upstream and finishes; the subscriber may cancel in between.
  @inlinable
  final func finish(with output: Output) -> Subscribers.Demand {
    phase = .ending
    _ = downstream.receive(output)
    guard phase == .ending else { return .none }
    detach()?.cancel()
    downstream.receive(completion: .finished)
    return .none
  }

  /// Gives the subscription and the end together; what the subscriber asks for in between is ignored.
  @inlinable
  final func endAtOnce(_ completion: Subscribers.Completion<Failure> = .finished) {
    phase = .ending
    downstream.receive(subscription: self)
    guard phase == .ending else { return }
    detach()?.cancel()
    downstream.receive(completion: completion)
  }

  @usableFromInline override var description: String { label }
}

/// Passes values on as long as the subscription stands.
@usableFromInline
class PassingLink<Value, Failure: Error>: OperatorLink<Value, Value, Failure> {
  @inlinable
  override func receive(_ input: Value) -> Subscribers.Demand {
    phase == .live ? downstream.receive(input) : .none
  }
}
