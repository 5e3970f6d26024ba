// SPDX-License-Identifier: Apache-2.0
import GeopublicistSimulatedKernel

/// The world's future actions and their times, in microseconds of the monotonic clock. Actions of the same time run in
/// the order in which they were added.
final class Schedule {
  typealias Action = () -> Void

  private struct Entry {
    let time: Int64
    let number: UInt64
    let action: Action

    func isBefore(_ other: Entry) -> Bool { (time, number) < (other.time, other.number) }
  }

  /// A binary heap.
  private var entries: [Entry] = []
  private var last: UInt64 = 0

  var now: Int64 { kernel_monotonic() }

  func after(_ microseconds: Int64, _ action: @escaping Action) { at(now + microseconds, action) }

  func at(_ time: Int64, _ action: @escaping Action) {
    last += 1
    entries.append(Entry(time: time, number: last, action: action))
    var index = entries.count - 1
    while index > 0, entries[index].isBefore(entries[(index - 1) / 2]) {
      entries.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// When the next action is due.
  var next: Int64? { entries.first?.time }

  /// Runs the next action if it is due.
  func runNext() -> Bool {
    guard let first = entries.first, first.time <= now else { return false }
    let final = entries.removeLast()
    if !entries.isEmpty {
      entries[0] = final
      sink()
    }
    first.action()
    return true
  }

  private func sink() {
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2] where child < entries.count && entries[child].isBefore(entries[least])
      {
        least = child
      }
      guard least != index else { return }
      entries.swapAt(index, least)
      index = least
    }
  }
}
