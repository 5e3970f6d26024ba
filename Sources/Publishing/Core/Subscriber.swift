// SPDX-License-Identifier: Apache-2.0
/// A type that takes values from a publisher, as many as it asks for.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
  /// The kind of values it takes.
  associatedtype Input
  /// The kind of error it can be ended with; `Never` if none.
  associatedtype Failure: Error

  /// Tells that the subscription stands; the subscriber asks it for values, now or later.
  func receive(subscription: any Subscription)

  /// Takes one value, and says how many are wanted beyond those already asked for.
  func receive(_ input: Input) -> Subscribers.Demand

  /// Tells that no more values will come. Needs no demand.
  func receive(completion: Subscribers.Completion<Failure>)
}

extension Subscriber where Input == Void {
  /// Takes one empty value.
  @inlinable
  public func receive() -> Subscribers.Demand { receive(()) }
}

/// The namespace of the types that have to do with subscribers.
public enum Subscribers {}
