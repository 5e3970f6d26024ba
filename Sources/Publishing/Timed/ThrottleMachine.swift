// SPDX-License-Identifier: Apache-2.0
/// Decides which value is sent next, and when.
@usableFromInline
struct ThrottleMachine<Time: Strideable, Value, Failure: Error> {
  /// When to fire. Not returned again while the machine is waiting for it.
  @usableFromInline
  enum Order {
    case soon
    case at(Time)
  }

  @usableFromInline let interval: Time.Stride
  /// Whether to send the newest value of an interval rather than the oldest.
  @usableFromInline let latest: Bool
  @usableFromInline var lastFired: Time?
  @usableFromInline var waiting: Value?
  @usableFromInline var outcome: Subscribers.Completion<Failure>?
  @usableFromInline var isOrdered = false
  @usableFromInline var demand = Subscribers.Demand.none

  @inlinable
  init(interval: Time.Stride, latest: Bool) {
    self.interval = interval
    self.latest = latest
  }

  /// Adds a value. The first is sent immediately, later ones at the end of the current interval.
  @inlinable
  mutating func receive(_ value: Value, at now: Time) -> Order? {
    if latest || waiting == nil { waiting = .some(value) }
    guard !isOrdered else { return nil }
    isOrdered = true
    guard let lastFired else { return .soon }
    // A wall clock may have been set back.
    let passed = lastFired.distance(to: now)
    return passed < .zero || passed >= interval ? .soon : .at(lastFired.advanced(by: interval))
  }

  /// Adds the completion, which follows the waiting value, if any.
  @inlinable
  mutating func end(_ completion: Subscribers.Completion<Failure>) -> Order? {
    outcome = completion
    guard !isOrdered else { return nil }
    isOrdered = true
    return .soon
  }

  /// Returns the waiting value at the scheduled time. It is dropped if there is no demand for it.
  @inlinable
  mutating func fire(at now: Time) -> Value? {
    isOrdered = false
    guard let value = waiting else { return nil }
    waiting = nil
    lastFired = now
    guard demand > .none else { return nil }
    demand.spendOne()
    return .some(value)
  }
}
