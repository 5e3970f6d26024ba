// SPDX-License-Identifier: Apache-2.0
/// A publisher of one value.
public struct Just<Output>: Publisher {
  public typealias Failure = Never

  public let output: Output

  public init(_ output: Output) { self.output = output }

  @inlinable
  public func receive<S: Subscriber<Output, Never>>(subscriber: S) {
    subscriber.receive(subscription: Once("Just", output, subscriber))
  }
}

extension Just: Equatable where Output: Equatable {}

/// The subscription to a publisher of one value. Sends the value at the first request, then finishes.
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
    guard demand > .none, let downstream else { return }
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
