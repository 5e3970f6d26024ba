// SPDX-License-Identifier: Apache-2.0
/// A first-in, first-out queue.
@usableFromInline
struct Queue<Element> {
  @usableFromInline var items: ContiguousArray<Element?> = []
  @usableFromInline var head = 0

  @inlinable init() {}

  @inlinable var isEmpty: Bool { head == items.count }
  @inlinable var count: Int { items.count - head }

  @inlinable
  mutating func append(_ element: Element) {
    // Compact once half of the storage is unused, so that a queue that is never empty does not grow forever.
    if head > 16, head > items.count / 2 {
      items.removeFirst(head)
      head = 0
    }
    items.append(element)
  }

  @inlinable
  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let element = items[head]
    items[head] = nil
    head += 1
    if isEmpty { removeAll() }
    return element
  }

  @inlinable
  mutating func removeAll() {
    items.removeAll(keepingCapacity: items.count < 64)
    head = 0
  }
}
