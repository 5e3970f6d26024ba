// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher that, instead of failing, publishes a value and finishes.
  public struct ReplaceError<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// It cannot fail.
    public typealias Failure = Never

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// The value published instead of an error.
    public let output: Upstream.Output

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream, output: Upstream.Output) {
      self.upstream = upstream
      self.output = output
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
      upstream.receive(subscriber: ReplaceErrorLink<Upstream.Failure, _>(output, Outlet(subscriber)))
    }
  }
}

extension Publishers.ReplaceError: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}

extension Publisher {
  /// Publishes a value instead of an error, and finishes.
  @inlinable
  public func replaceError(with output: Output) -> Publishers.ReplaceError<Self> {
    Publishers.ReplaceError(upstream: self, output: output)
  }
}

@usableFromInline
final class ReplaceErrorLink<Failure: Error, Downstream: Subscriber>: Link, Subscriber
where Downstream.Failure == Never {
  @usableFromInline typealias Input = Downstream.Input

  @usableFromInline let output: Input
  @usableFromInline let downstream: Downstream
  @exclusivity(unchecked) @usableFromInline var demand = Subscribers.Demand.none

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
    demand.spendOne()
    let more = downstream.receive(input)
    demand += more
    return more
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    switch completion {
    case .finished:
      _ = detach()
      downstream.receive(completion: .finished)
    case .failure:
      phase = .ending
      upstream = nil
      give()
    }
  }

  @usableFromInline
  func give() {
    guard phase == .ending, demand > .none else { return }
    demand = .none
    _ = downstream.receive(output)
    guard phase == .ending else { return }
    phase = .done
    downstream.receive(completion: .finished)
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    demand.mustBePositive()
    guard phase != .done else { return }
    self.demand += demand
    if phase == .ending { give() } else { super.request(demand) }
  }

  @usableFromInline
  override var description: String { "ReplaceError" }
}
