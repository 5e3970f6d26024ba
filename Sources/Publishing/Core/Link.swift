// SPDX-License-Identifier: Apache-2.0
/// Where a running operator stands.
@usableFromInline
enum Phase: UInt8 {
  /// Subscribed to its upstream, which has not answered yet.
  case waiting
  /// Between a subscription and its end.
  case live
  /// The last value is on its way down; cancelling still counts, nothing else does.
  case ending
  /// Completed or cancelled: nothing passes any more.
  case done
}

/// The base of every running operator with one upstream: a subscriber for those above, the subscription for those
/// below.
///
/// The phase is kept beside the subscription, not around it, so that the test which each value has to pass is one byte.
/// `@exclusivity(unchecked)`, here and in the other classes of this layer: each access is one load or one store, no
/// code of anybody else runs inside it.
@usableFromInline
class Link: Subscription, Described {
  @exclusivity(unchecked) @usableFromInline final var phase = Phase.waiting
  @exclusivity(unchecked) @usableFromInline final var upstream: (any Subscription)?

  @inlinable
  init() {}

  /// Takes the first subscription and cancels every other; tells whether this was the first.
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

  /// Ends the link and hands out what it was attached to, for the last time.
  @inlinable
  final func detach() -> (any Subscription)? {
    phase = .done
    let last = upstream
    upstream = nil
    return last
  }

  /// Gives the subscription and the end together; what the subscriber asks for in between goes nowhere.
  @inlinable
  final func finishAtOnce<S: Subscriber>(_ downstream: S, _ completion: Subscribers.Completion<S.Failure> = .finished) {
    phase = .ending
    downstream.receive(subscription: self)
    guard phase == .ending else { return }
    detach()?.cancel()
    downstream.receive(completion: completion)
  }

  /// Asks upstream; what an operator does that neither keeps nor multiplies values.
  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    if phase == .live { upstream?.request(demand) }
  }

  @usableFromInline
  func cancel() { detach()?.cancel() }

  @usableFromInline
  var description: String { "\(Self.self)" }
}
