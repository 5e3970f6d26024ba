// SPDX-License-Identifier: Apache-2.0
/// What collecting by time decides: when a group is complete, and how much to ask for.
@usableFromInline
struct CollectByTimeMachine<Value> {
  /// The number of values that complete a group before its time, if any does.
  @usableFromInline let count: Int?
  @usableFromInline var group: [Value] = []
  @usableFromInline var demand = Subscribers.Demand.none

  @inlinable
  init(count: Int?) { self.count = count }

  /// The demand on upstream when the subscription comes.
  @inlinable
  var firstDemand: Subscribers.Demand { count == nil ? .unlimited : .none }

  /// Returns the demand on upstream when the subscriber asks for groups.
  @inlinable
  func demand(for groups: Subscribers.Demand) -> Subscribers.Demand { count.map { groups * $0 } ?? .none }

  /// Takes a value; returns the group that it completes, if there is demand for one.
  @inlinable
  mutating func receive(_ value: Value) -> [Value]? {
    group.append(value)
    return fullGroup()
  }

  /// Returns the group that has its number of values, if there is demand for one.
  @inlinable
  mutating func fullGroup() -> [Value]? {
    guard let count, group.count >= count else { return nil }
    return take()
  }

  /// Returns the values so far, if there are any and there is demand for a group: at the end of an interval.
  @inlinable
  mutating func take() -> [Value]? {
    guard demand > .none, !group.isEmpty else { return nil }
    demand.spendOne()
    let full = group
    group = []
    return full
  }
}
