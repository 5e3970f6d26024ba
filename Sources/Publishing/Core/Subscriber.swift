// SPDX-License-Identifier: Apache-2.0
/// A type that takes values from a publisher, as many as it asks for.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
  /// The type of the values.
  associatedtype Input
  /// The type of error that can end the sequence; `Never` if none can.
  associatedtype Failure: Error

  /// Takes the subscription, which the subscriber asks for values now or later.
  func receive(subscription: any Subscription)

  /// Takes one value; returns how many more are wanted beyond those already asked for.
  func receive(_ input: Input) -> Subscribers.Demand

  /// Takes the completion, after which nothing follows. It is delivered without demand.
  func receive(completion: Subscribers.Completion<Failure>)
}

extension Subscriber where Input == Void {
  /// Takes one empty value.
  @inlinable public func receive() -> Subscribers.Demand { receive(()) }
}

/// The namespace of the types around subscribers.
public enum Subscribers {}
