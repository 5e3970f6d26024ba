// SPDX-License-Identifier: Apache-2.0
/// A publisher without values, which finishes at once or never.
public struct Empty<Output, Failure: Error>: Publisher, Equatable {
  /// Whether it finishes at once; otherwise it never does.
  public let completeImmediately: Bool

  /// Publishes nothing.
  public init(completeImmediately: Bool = true) { self.completeImmediately = completeImmediately }

  /// Publishes nothing, with the types spelled out.
  public init(completeImmediately: Bool = true, outputType: Output.Type, failureType: Failure.Type) {
    self.completeImmediately = completeImmediately
  }

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    subscriber.receive(subscription: Subscriptions.empty)
    if completeImmediately { subscriber.receive(completion: .finished) }
  }
}
