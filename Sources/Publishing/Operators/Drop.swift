// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Drops the first values.
  public struct Drop<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    /// The number of values dropped.
    public let count: Int

    public init(upstream: Upstream, count: Int) {
      self.upstream = upstream
      self.count = count
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      upstream.receive(subscriber: DropLink(count, subscriber))
    }
  }
}

extension Publishers.Drop: Equatable where Upstream: Equatable {}

extension Publisher {
  /// Drops the first `count` values; traps if `count` is negative.
  public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> {
    precondition(count >= 0, "count must not be negative")
    return Publishers.Drop(upstream: self, count: count)
  }
}

extension Publishers.Drop {
  public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Upstream> {
    precondition(count >= 0, "count must not be negative")
    return Publishers.Drop(upstream: upstream, count: self.count + count)
  }
}

/// Adds the values to be dropped to the first request.
@usableFromInline
final class DropLink<Value, Failure: Error>: OperatorLink<Value, Value, Failure> {
  @exclusivity(unchecked) @usableFromInline var toDrop: Int
  @usableFromInline var toAskFor: Int

  @inlinable
  init<S: Subscriber<Value, Failure>>(_ count: Int, _ subscriber: S) {
    toDrop = count
    toAskFor = count
    super.init("Drop", subscriber)
  }

  @inlinable
  override func receive(_ input: Value) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    guard toDrop > 0 else { return downstream.receive(input) }
    toDrop -= 1
    return .none
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    let extra = toAskFor
    toAskFor = 0
    super.request(demand + extra)
  }
}
