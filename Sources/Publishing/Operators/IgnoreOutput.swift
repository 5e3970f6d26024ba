// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of nothing but the end of its upstream.
  public struct IgnoreOutput<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Never
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that the operator is applied to.
    public let upstream: Upstream

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: IgnoreOutputLink<Upstream.Output, _>(Outlet(subscriber)))
    }
  }
}

extension Publishers.IgnoreOutput: Equatable where Upstream: Equatable {}

extension Publisher {
  /// Publishes nothing but the end.
  @inlinable
  public func ignoreOutput() -> Publishers.IgnoreOutput<Self> {
    Publishers.IgnoreOutput(upstream: self)
  }
}

/// Asks upstream for everything and swallows it.
@usableFromInline
final class IgnoreOutputLink<Input, Downstream: Subscriber>: Link, Subscriber where Downstream.Input == Never {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream

  @inlinable
  init(_ downstream: Downstream) { self.downstream = downstream }

  @inlinable
  func receive(subscription: any Subscription) {
    guard attach(subscription) else { return }
    downstream.receive(subscription: self)
    if phase == .live { subscription.request(.unlimited) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand { .none }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    _ = detach()
    downstream.receive(completion: completion)
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {}

  @usableFromInline
  override var description: String { "IgnoreOutput" }
}
