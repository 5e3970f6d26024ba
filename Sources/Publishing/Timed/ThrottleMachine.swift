// SPDX-License-Identifier: Apache-2.0
/// What throttle decides: when something goes down next, and what.
@usableFromInline
struct ThrottleMachine<Time: Strideable, Value, Failure: Error> {
  /// When to fire; not ordered again while the machine waits for it.
  @usableFromInline
  enum Order {
    case soon
    case at(Time)
  }

  @usableFromInline let interval: Time.Stride
  /// Whether the newest value of an interval goes down, or the oldest.
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

  /// Takes a value: the first goes down at once, a later one at the end of the interval that began with the last.
  @inlinable
  mutating func receive(_ value: Value, at now: Time) -> Order? {
    if latest || waiting == nil { waiting = .some(value) }
    guard !isOrdered else { return nil }
    isOrdered = true
    guard let lastFired, lastFired.distance(to: now) < interval else { return .soon }
    return .at(lastFired.advanced(by: interval))
  }

  /// Takes the completion, which follows the waiting value, if any.
  @inlinable
  mutating func end(_ completion: Subscribers.Completion<Failure>) -> Order? {
    outcome = completion
    guard !isOrdered else { return nil }
    isOrdered = true
    return .soon
  }

  /// The time has come: returns the waiting value, which is dropped if there is no demand for it.
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
