// SPDX-License-Identifier: Apache-2.0
/// The state of a running operator.
@usableFromInline
enum Phase: UInt8 {
  /// Subscribed to upstream, but without a subscription yet.
  case waiting
  /// Between the subscription and the end.
  case live
  /// The last value is being delivered. Only a cancellation still has an effect.
  case ending
  /// Completed or cancelled. Nothing more is delivered.
  case done
}

/// The base class of everything that subscribes to an upstream.
///
/// The phase is stored beside the subscription rather than in an enumeration around it, so the check for each value
/// reads one byte. `@exclusivity(unchecked)`, here and in the other classes of this module, is safe because each access
/// is one load or store during which no other code runs.
@usableFromInline
class Link: Subscription, Described {
  @exclusivity(unchecked) @usableFromInline final var phase = Phase.waiting
  @exclusivity(unchecked) @usableFromInline final var upstream: (any Subscription)?

  @inlinable init() {}

  /// Accepts the first subscription and cancels any further one. Returns whether this was the first.
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

  /// Ends the link and returns its upstream subscription, if there still is one.
  @inlinable
  final func detach() -> (any Subscription)? {
    phase = .done
    let last = upstream
    upstream = nil
    return last
  }

  /// Passes demand upstream. Correct for operators that neither keep nor multiply values.
  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    if phase == .live { upstream?.request(demand) }
  }

  @usableFromInline
  func cancel() {
    let last = detach()
    release()
    last?.cancel()
  }

  /// Releases the values and timers that the link keeps. Called by a cancellation, before it is passed upstream.
  @usableFromInline func release() {}

  @usableFromInline var description: String { "\(Self.self)" }
}

/// The base class of operators with one upstream and one subscriber. Passes on the subscription and the completion.
/// Subclasses decide what to do with values.
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

  /// Cancels upstream and completes, if the subscription is live.
  @inlinable
  final func end(_ completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    detach()?.cancel()
    downstream.receive(completion: completion)
  }

  /// Sends the last value, cancels upstream and finishes. The subscriber may cancel in between.
  @inlinable
  final func finish(with output: Output) -> Subscribers.Demand {
    phase = .ending
    _ = downstream.receive(output)
    guard phase == .ending else { return .none }
    detach()?.cancel()
    downstream.receive(completion: .finished)
    return .none
  }

  /// Sends the subscription and the completion together. Demand in between is ignored.
  @inlinable
  final func endAtOnce(_ completion: Subscribers.Completion<Failure> = .finished) {
    phase = .ending
    downstream.receive(subscription: self)
    guard phase == .ending else { return }
    detach()?.cancel()
    downstream.receive(completion: completion)
  }

  /// Delivers the completion of upstream through `schedule`, unless the subscription is cancelled before then.
  @inlinable
  final func complete(_ completion: Subscribers.Completion<Failure>, _ schedule: (@escaping () -> Void) -> Void) {
    phase = .ending
    upstream = nil
    schedule { [self] in
      guard phase == .ending else { return }
      phase = .done
      downstream.receive(completion: completion)
    }
  }

  @usableFromInline override var description: String { label }
}

/// The base class of operators that request everything from upstream, whatever their subscriber requests.
@usableFromInline
class EagerLink<Input, Output, Failure: Error>: OperatorLink<Input, Output, Failure> {
  @inlinable
  override func receive(subscription: any Subscription) {
    guard attach(subscription) else { return }
    downstream.receive(subscription: self)
    if phase == .live { subscription.request(.unlimited) }
  }
}

/// Passes on values while the subscription is live.
@usableFromInline
class PassingLink<Value, Failure: Error>: OperatorLink<Value, Value, Failure> {
  @inlinable
  override func receive(_ input: Value) -> Subscribers.Demand { phase == .live ? downstream.receive(input) : .none }
}
