// SPDX-License-Identifier: Apache-2.0
/// Decides when a group is complete and how many values to request.
@usableFromInline
struct CollectByTimeMachine<Value> {
  /// The number of values that completes a group early, if there is a limit.
  @usableFromInline let count: Int?
  @usableFromInline var group: [Value] = []
  @usableFromInline var demand = Subscribers.Demand.none
  /// The values that were requested from upstream and have not arrived.
  @usableFromInline var outstanding = Subscribers.Demand.none

  @inlinable
  init(count: Int?) { self.count = count }

  /// The initial demand on upstream.
  @inlinable
  var firstDemand: Subscribers.Demand { count == nil ? .unlimited : .none }

  /// Returns the demand on upstream for the values that the requested groups may still need.
  @inlinable
  mutating func newDemand() -> Subscribers.Demand {
    guard let count, outstanding != .unlimited else { return .none }
    let more = demand * count - outstanding - group.count
    outstanding += more
    return more
  }

  /// Adds a value. Returns the group that it completes, if there is demand for one.
  @inlinable
  mutating func receive(_ value: Value) -> [Value]? {
    group.append(value)
    if outstanding > .none { outstanding -= 1 }
    return fullGroup()
  }

  /// Returns a group that has reached its count, if there is demand for one.
  @inlinable
  mutating func fullGroup() -> [Value]? {
    guard let count, group.count >= count else { return nil }
    return take()
  }

  /// Returns the values collected so far at the end of an interval, if there are any and there is demand for a group.
  /// Those beyond the count remain: a group that an interval ends early leaves demand on upstream for more values.
  @inlinable
  mutating func take() -> [Value]? {
    guard demand > .none, !group.isEmpty else { return nil }
    demand.spendOne()
    guard let count, count > 0, group.count > count else {
      let full = group
      group = []
      return full
    }
    defer { group.removeFirst(count) }
    return Array(group.prefix(count))
  }
}
