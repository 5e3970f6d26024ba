// SPDX-License-Identifier: Apache-2.0
/// What collecting by time decides: when a group is complete, and how much to ask for.
@usableFromInline
struct CollectByTimeMachine<Value> {
  /// How many values complete a group before its time; `nil` if none do.
  @usableFromInline let count: Int?
  @usableFromInline var group: [Value] = []
  @usableFromInline var demand = Subscribers.Demand.none

  @inlinable
  init(count: Int?) { self.count = count }

  /// What upstream is asked for when the subscription comes.
  @inlinable
  var firstDemand: Subscribers.Demand { count == nil ? .unlimited : .none }

  /// What upstream is asked for when downstream asks for so many groups.
  @inlinable
  func demand(for groups: Subscribers.Demand) -> Subscribers.Demand { count.map { groups * $0 } ?? .none }

  /// A value has come; gives the group that it completes, if one is wanted.
  @inlinable
  mutating func receive(_ value: Value) -> [Value]? {
    group.append(value)
    return fullGroup()
  }

  /// The group that has its number of values, if one is wanted.
  @inlinable
  mutating func fullGroup() -> [Value]? {
    guard let count, group.count >= count else { return nil }
    return take()
  }

  /// The time or the end has come; gives what there is, if there is anything and it is wanted.
  @inlinable
  mutating func tick() -> [Value]? { take() }

  @inlinable
  mutating func take() -> [Value]? {
    guard demand > .none, !group.isEmpty else { return nil }
    demand.spendOne()
    let full = group
    group = []
    return full
  }
}
