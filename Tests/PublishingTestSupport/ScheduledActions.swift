// SPDX-License-Identifier: Apache-2.0
/// A heap of actions ordered by due time, and by order of insertion where the times are equal.
struct ScheduledActions {
  final class Item {
    let due: VirtualTime
    let sequence: Int
    /// Nil once the item was cancelled, so that what the action holds is let go at once.
    var action: (() -> Void)?

    init(due: VirtualTime, sequence: Int, action: @escaping () -> Void) {
      self.due = due
      self.sequence = sequence
      self.action = action
    }

    func comes(before other: Item) -> Bool { (due, sequence) < (other.due, other.sequence) }
  }

  private var items: [Item] = []
  private var nextSequence = 0

  /// How many actions wait that were not cancelled.
  var pending: Int { items.count { $0.action != nil } }

  mutating func insert(due: VirtualTime, action: @escaping () -> Void) -> Item {
    let item = Item(due: due, sequence: nextSequence, action: action)
    nextSequence += 1
    items.append(item)
    var child = items.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard items[child].comes(before: items[parent]) else { break }
      items.swapAt(child, parent)
      child = parent
    }
    return item
  }

  /// Takes out the first item that is due at `limit` or before; cancelled ones on the way are dropped.
  mutating func popFirst(dueBy limit: VirtualTime?) -> Item? {
    while let first = items.first {
      if first.action == nil {
        removeFirst()
      } else if let limit, limit < first.due {
        return nil
      } else {
        removeFirst()
        return first
      }
    }
    return nil
  }

  private mutating func removeFirst() {
    items.swapAt(0, items.count - 1)
    items.removeLast()
    var parent = 0
    while true {
      let left = 2 * parent + 1
      guard left < items.count else { return }
      let right = left + 1
      let child = right < items.count && items[right].comes(before: items[left]) ? right : left
      guard items[child].comes(before: items[parent]) else { return }
      items.swapAt(child, parent)
      parent = child
    }
  }
}
