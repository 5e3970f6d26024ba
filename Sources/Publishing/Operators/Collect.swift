// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of one array of all values, when its upstream finishes.
  public struct Collect<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = [Upstream.Output]
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
      upstream.receive(subscriber: FoldLink(CollectFold<Upstream.Output, Failure>(), Outlet(subscriber)))
    }
  }
}

extension Publishers.Collect: Equatable where Upstream: Equatable {}

extension Publisher {
  /// Publishes an array of all values, when this publisher finishes.
  @inlinable
  public func collect() -> Publishers.Collect<Self> {
    Publishers.Collect(upstream: self)
  }
}

@usableFromInline
struct CollectFold<Value, Failure: Error>: Fold, PlainRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = [Value]
  @usableFromInline typealias Memory = [Value]

  @inlinable
  init() {}

  @inlinable
  static var label: String { "Collect" }

  @inlinable
  func take(_ input: Value, _ all: inout [Value]) -> Ruling<[Value], Failure> {
    all.append(input)
    return .goOn
  }

  @inlinable
  var start: [Value] { [] }

  @inlinable
  func conclude(_ all: [Value]) -> [Value]? { all }
}
