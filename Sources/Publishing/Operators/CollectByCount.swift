// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of arrays of so many values each. The last may be shorter; it is dropped if its upstream fails.
  public struct CollectByCount<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = [Upstream.Output]
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// How many values make an array; at least one.
    public let count: Int

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream, count: Int) {
      self.upstream = upstream
      self.count = count
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: CollectByCountLink<Upstream.Output, _>(count, Outlet(subscriber)))
    }
  }
}

extension Publishers.CollectByCount: Equatable where Upstream: Equatable {}

extension Publisher {
  /// Publishes arrays of `count` values each, and the rest when this publisher finishes.
  @inlinable
  public func collect(_ count: Int) -> Publishers.CollectByCount<Self> {
    Publishers.CollectByCount(upstream: self, count: count)
  }
}

@usableFromInline
final class CollectByCountLink<Input, Downstream: Subscriber>: Link, Subscriber where Downstream.Input == [Input] {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let count: Int
  @usableFromInline let downstream: Downstream
  @exclusivity(unchecked) @usableFromInline var group: [Input] = []

  @inlinable
  init(_ count: Int, _ downstream: Downstream) {
    self.count = count
    self.downstream = downstream
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if attach(subscription) { downstream.receive(subscription: self) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    group.append(input)
    guard group.count >= count else { return .none }
    let full = group
    group = []
    return downstream.receive(full) * count
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    phase = .ending
    upstream = nil
    let rest = group
    group = []
    if case .finished = completion, !rest.isEmpty { _ = downstream.receive(rest) }
    guard phase == .ending else { return }
    phase = .done
    downstream.receive(completion: completion)
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    demand.mustBePositive()
    let values = demand * count
    if phase == .live, values > .none { upstream?.request(values) }
  }

  @usableFromInline
  override func cancel() {
    let last = detach()
    group = []
    last?.cancel()
  }

  @usableFromInline
  override var description: String { "CollectByCount" }
}
