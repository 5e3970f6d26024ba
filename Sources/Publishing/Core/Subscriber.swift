// SPDX-License-Identifier: Apache-2.0
/// A type that receives as many values from a publisher as it requests.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
  /// The type of the values.
  associatedtype Input
  /// The type of error that can end the sequence; `Never` if none can.
  associatedtype Failure: Error

  /// Receives the subscription, through which the subscriber requests values now or later.
  func receive(subscription: any Subscription)

  /// Receives one value. Returns the number of values wanted in addition to those already requested.
  func receive(_ input: Input) -> Subscribers.Demand

  /// Receives the completion, the last event. It is delivered without demand.
  func receive(completion: Subscribers.Completion<Failure>)
}

extension Subscriber where Input == Void {
  /// Receives one empty value.
  @inlinable public func receive() -> Subscribers.Demand { receive(()) }
}

/// The namespace of the types around subscribers.
public enum Subscribers {}
