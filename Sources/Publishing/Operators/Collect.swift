// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes one array of all values when upstream finishes.
  public struct Collect<Upstream: Publisher>: Operator {
    public typealias Output = [Upstream.Output]

    public let upstream: Upstream

    public init(upstream: Upstream) { self.upstream = upstream }

    @inlinable
    public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
      upstream.fold("Collect", Output(), subscriber, conclude: Optional.some) { value, all throws(Failure) in
        all.append(value)
        return nil
      }
    }
  }

  /// Publishes arrays of `count` values each. The last may be shorter; it is dropped if upstream fails.
  public struct CollectByCount<Upstream: Publisher>: Operator {
    public typealias Output = [Upstream.Output]

    public let upstream: Upstream
    /// The number of values in an array; at least one.
    public let count: Int

    public init(upstream: Upstream, count: Int) {
      self.upstream = upstream
      self.count = count
    }

    @inlinable
    public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
      upstream.receive(subscriber: CollectByCountLink(count, subscriber))
    }
  }
}

extension Publishers.Collect: Equatable where Upstream: Equatable {}
extension Publishers.CollectByCount: Equatable where Upstream: Equatable {}

extension Publisher {
  /// Publishes one array of all values when this publisher finishes.
  public func collect() -> Publishers.Collect<Self> { Publishers.Collect(upstream: self) }

  /// Publishes arrays of `count` values each, and the remaining values when this publisher finishes.
  public func collect(_ count: Int) -> Publishers.CollectByCount<Self> {
    Publishers.CollectByCount(upstream: self, count: count)
  }
}

@usableFromInline
final class CollectByCountLink<Input, Failure: Error>: OperatorLink<Input, [Input], Failure> {
  @usableFromInline let count: Int
  @exclusivity(unchecked) @usableFromInline var group: [Input] = []

  @inlinable
  init<S: Subscriber<[Input], Failure>>(_ count: Int, _ subscriber: S) {
    self.count = count
    super.init("CollectByCount", subscriber)
  }

  @inlinable
  override func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    group.append(input)
    guard group.count >= count else { return .none }
    let full = group
    group = []
    return downstream.receive(full) * count
  }

  @inlinable
  override func receive(completion: Subscribers.Completion<Failure>) {
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
  override func request(_ demand: Subscribers.Demand) { super.request(demand * count) }

  @usableFromInline override func release() { group = [] }
}
