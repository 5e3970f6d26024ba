// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher that finishes when another publisher publishes something.
  public struct PrefixUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher {
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
      let link = PrefixUntilOutputLink<Outlet<Output, Failure>, Other.Failure>(Outlet(subscriber))
      let gate = GateSubscriber<Other.Output, Other.Failure>(link)
      link.gate = gate
      other.receive(subscriber: gate)
      upstream.receive(subscriber: link)
    }
  }
}

extension Publishers.PrefixUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}

extension Publisher {
  /// Publishes values until another publisher publishes something, then finishes. How that one ends is of no matter.
  @inlinable
  public func prefix<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.PrefixUntilOutput<Self, P> {
    Publishers.PrefixUntilOutput(upstream: self, other: publisher)
  }
}

@usableFromInline
final class PrefixUntilOutputLink<Downstream: Subscriber, GateFailure: Error>: Link, Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline var gate: Link?
  /// Whether the other publisher spoke before the subscription stood.
  @usableFromInline var isOver = false

  @inlinable
  init(_ downstream: Downstream) { self.downstream = downstream }

  @inlinable
  func receive(subscription: any Subscription) {
    guard attach(subscription) else { return }
    if isOver { return finishAtOnce(downstream) }
    downstream.receive(subscription: self)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    return downstream.receive(input)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    _ = detach()
    closeGate()
    downstream.receive(completion: completion)
  }

  @usableFromInline
  func finish() {
    guard phase == .live else { return }
    detach()?.cancel()
    downstream.receive(completion: .finished)
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
  override var description: String { "PrefixUntilOutput" }
}

extension PrefixUntilOutputLink: Gate {
  @usableFromInline
  func open() {
    gate = nil
    if phase == .waiting { isOver = true } else { finish() }
  }

  @usableFromInline
  func gateEnded(_ completion: Subscribers.Completion<GateFailure>) { gate = nil }
}
