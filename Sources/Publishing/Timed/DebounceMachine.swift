// SPDX-License-Identifier: Apache-2.0
/// What debounce decides: which value is due, and whether anybody wants it.
@usableFromInline
struct DebounceMachine<Value> {
  @usableFromInline var waiting: Value?
  @usableFromInline var demand = Subscribers.Demand.none

  @inlinable
  init() {}

  /// A value has come: it replaces the one that waits.
  @inlinable
  mutating func receive(_ value: Value) { waiting = .some(value) }

  /// Nothing has come for long enough: gives the value that waits, if it is wanted. An unwanted one is lost.
  @inlinable
  mutating func fire() -> Value? {
    guard let value = waiting else { return nil }
    waiting = nil
    guard demand > .none else { return nil }
    demand.spendOne()
    return .some(value)
  }

  /// The end has come: what waits is lost.
  @inlinable
  mutating func end() { waiting = nil }
}
