// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher that publishes a value if its upstream finishes without one.
  public struct ReplaceEmpty<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// The value published instead of none.
    public let output: Upstream.Output

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream, output: Upstream.Output) {
      self.upstream = upstream
      self.output = output
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: ReplaceEmptyLink(output, Outlet(subscriber)))
    }
  }
}

extension Publishers.ReplaceEmpty: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}

extension Publisher {
  /// Publishes a value if this publisher finishes without one.
  @inlinable
  public func replaceEmpty(with output: Output) -> Publishers.ReplaceEmpty<Self> {
    Publishers.ReplaceEmpty(upstream: self, output: output)
  }
}

@usableFromInline
final class ReplaceEmptyLink<Downstream: Subscriber>: Link, Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let output: Input
  @usableFromInline let downstream: Downstream
  @exclusivity(unchecked) @usableFromInline var isEmpty = true
  @usableFromInline var isWanted = false

  @inlinable
  init(_ output: Input, _ downstream: Downstream) {
    self.output = output
    self.downstream = downstream
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if attach(subscription) { downstream.receive(subscription: self) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    isEmpty = false
    return downstream.receive(input)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    if case .finished = completion, isEmpty {
      phase = .ending
      upstream = nil
      if isWanted { give() }
    } else {
      _ = detach()
      downstream.receive(completion: completion)
    }
  }

  @usableFromInline
  func give() {
    guard phase == .ending, isEmpty else { return }
    isEmpty = false
    _ = downstream.receive(output)
    guard phase == .ending else { return }
    phase = .done
    downstream.receive(completion: .finished)
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    demand.mustBePositive()
    isWanted = true
    if phase == .ending { give() } else { super.request(demand) }
  }

  @usableFromInline
  override var description: String { "ReplaceEmpty" }
}
