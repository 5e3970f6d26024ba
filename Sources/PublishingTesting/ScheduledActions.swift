// SPDX-License-Identifier: Apache-2.0
/// Actions ordered by due time, and by order of insertion where the times are equal.
struct ScheduledActions {
  final class Item {
    let due: VirtualTime
    /// Nil after a cancellation, so that everything the action holds is released immediately.
    var action: (() -> Void)?

    init(due: VirtualTime, action: @escaping () -> Void) {
      self.due = due
      self.action = action
    }
  }

  private var items: [Item] = []

  /// The number of waiting actions that were not cancelled.
  var pending: Int { items.count { $0.action != nil } }

  mutating func insert(due: VirtualTime, action: @escaping () -> Void) -> Item {
    let item = Item(due: due, action: action)
    items.insert(item, at: items.lastIndex { $0.due <= due }.map { $0 + 1 } ?? 0)
    return item
  }

  /// Removes and returns the first item that is due at `limit` or before. Cancelled items before it are dropped.
  mutating func popFirst(dueBy limit: VirtualTime?) -> Item? {
    items.removeFirst(items.firstIndex { $0.action != nil } ?? items.count)
    guard let first = items.first, limit.map({ first.due <= $0 }) ?? true else { return nil }
    return items.removeFirst()
  }
}
