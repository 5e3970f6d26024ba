// SPDX-License-Identifier: Apache-2.0
/// A publisher without values that finishes immediately or never.
public struct Empty<Output, Failure: Error>: Publisher, Equatable {
  /// Whether it finishes immediately. Otherwise it never ends.
  public let completeImmediately: Bool

  public init(completeImmediately: Bool = true) { self.completeImmediately = completeImmediately }

  /// Creates the publisher with its types spelled out.
  public init(completeImmediately: Bool = true, outputType: Output.Type, failureType: Failure.Type) {
    self.completeImmediately = completeImmediately
  }

  @inlinable
  public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
    if completeImmediately { subscriber.receiveEmpty() } else { subscriber.receive(subscription: Subscriptions.empty) }
  }
}
