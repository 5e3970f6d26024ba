// SPDX-License-Identifier: Apache-2.0
/// What an operator decides by, without its upstream and downstream.
///
/// What changes from value to value is the rule's memory; the link that runs the rule keeps it.
@usableFromInline
protocol Rule {
  associatedtype Input
  associatedtype Output
  /// How upstream can fail.
  associatedtype Failure: Error
  /// How the operator can fail: as upstream, or in any way if its closure throws.
  associatedtype Thrown: Error
  associatedtype Memory

  /// What `print()` shows.
  static var label: String { get }
  func lift(_ completion: Subscribers.Completion<Failure>) -> Subscribers.Completion<Thrown>
}

/// A rule that fails as its upstream does, if ever.
@usableFromInline
protocol PlainRule: Rule where Thrown == Failure {}

extension PlainRule {
  @inlinable
  func lift(_ completion: Subscribers.Completion<Failure>) -> Subscribers.Completion<Failure> { completion }
}

/// A rule with a closure that may throw.
@usableFromInline
protocol TryRule: Rule where Thrown == any Error {}

extension TryRule {
  @inlinable
  func lift(_ completion: Subscribers.Completion<Failure>) -> Subscribers.Completion<any Error> { completion.erased }
}
