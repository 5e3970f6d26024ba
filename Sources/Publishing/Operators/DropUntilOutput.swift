// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher that drops everything until another publisher has published something.
  public struct DropUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher
  where Upstream.Failure == Other.Failure {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// The publisher that is waited for.
    public let other: Other

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let link = DropUntilOutputLink(Outlet(subscriber))
      let gate = GateSubscriber<Other.Output, Failure>(link)
      link.gate = gate
      other.receive(subscriber: gate)
      upstream.receive(subscriber: link)
    }
  }
}

extension Publishers.DropUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}

extension Publisher {
  /// Drops everything until another publisher has published something. If that one fails, so does this; if it finishes
  /// before, so does this, since nothing can come any more.
  @inlinable
  public func drop<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.DropUntilOutput<Self, P>
  where Failure == P.Failure {
    Publishers.DropUntilOutput(upstream: self, other: publisher)
  }
}

/// What hears from the publisher that a gate waits for.
@usableFromInline
protocol Gate<GateFailure>: AnyObject {
  associatedtype GateFailure: Error
  func open()
  func gateEnded(_ completion: Subscribers.Completion<GateFailure>)
}

/// Waits for one value of any publisher, and tells its gate.
@usableFromInline
final class GateSubscriber<Input, Failure: Error>: Link, Subscriber {
  @usableFromInline var gate: (any Gate<Failure>)?

  @usableFromInline
  init(_ gate: any Gate<Failure>) { self.gate = gate }

  @usableFromInline
  func receive(subscription: any Subscription) {
    if attach(subscription) { subscription.request(.max(1)) }
  }

  @usableFromInline
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    let gate = self.gate
    cancel()
    gate?.open()
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    _ = detach()
    let gate = self.gate
    self.gate = nil
    gate?.gateEnded(completion)
  }

  @usableFromInline
  override func cancel() {
    let last = detach()
    gate = nil
    last?.cancel()
  }
}

@usableFromInline
final class DropUntilOutputLink<Downstream: Subscriber>: Link, Subscriber, Gate {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline var gate: Link?
  @exclusivity(unchecked) @usableFromInline var isOpen = false
  /// How the other publisher ended, if it did so without a value before the subscription stood.
  @usableFromInline var early: Subscribers.Completion<Failure>?

  @inlinable
  init(_ downstream: Downstream) { self.downstream = downstream }

  @inlinable
  func receive(subscription: any Subscription) {
    guard attach(subscription) else { return }
    if let early { return finishAtOnce(downstream, early) }
    downstream.receive(subscription: self)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    return isOpen ? downstream.receive(input) : .max(1)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    _ = detach()
    closeGate()
    downstream.receive(completion: completion)
  }

  @usableFromInline
  func open() {
    isOpen = true
    gate = nil
  }

  @usableFromInline
  func gateEnded(_ completion: Subscribers.Completion<Failure>) {
    gate = nil
    if phase == .waiting { early = completion } else { end(completion) }
  }

  @usableFromInline
  func end(_ completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    detach()?.cancel()
    downstream.receive(completion: completion)
  }

  @usableFromInline
  func closeGate() {
    let last = gate
    gate = nil
    last?.cancel()
  }

  @usableFromInline
  override func cancel() {
    let last = detach()
    last?.cancel()
    closeGate()
  }

  @usableFromInline
  override var description: String { "DropUntilOutput" }
}
