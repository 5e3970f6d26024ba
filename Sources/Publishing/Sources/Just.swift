// SPDX-License-Identifier: Apache-2.0
/// A publisher of one value, which it gives to each subscriber that asks.
public struct Just<Output>: Publisher {
  /// It cannot fail.
  public typealias Failure = Never

  /// The value.
  public let output: Output

  /// Publishes a value and finishes.
  @inlinable
  public init(_ output: Output) { self.output = output }

  /// Attaches a subscriber.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    subscriber.receive(subscription: Once("Just", output, subscriber))
  }
}

extension Just: Equatable where Output: Equatable {}

/// The subscription of a publisher with one value: sends it at the first request, then finishes.
@usableFromInline
final class Once<Downstream: Subscriber>: Subscription, Described {
  @usableFromInline let description: String
  @usableFromInline let output: Downstream.Input
  @usableFromInline var downstream: Downstream?
  @usableFromInline var isCancelled = false

  @inlinable
  init(_ description: String, _ output: Downstream.Input, _ downstream: Downstream) {
    self.description = description
    self.output = output
    self.downstream = downstream
  }

  @inlinable
  func request(_ demand: Subscribers.Demand) {
    demand.mustBePositive()
    guard let downstream else { return }
    self.downstream = nil
    _ = downstream.receive(output)
    if !isCancelled { downstream.receive(completion: .finished) }
  }

  @inlinable
  func cancel() {
    isCancelled = true
    downstream = nil
  }
}
