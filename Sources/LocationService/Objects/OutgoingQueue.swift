// SPDX-License-Identifier: Apache-2.0
import MainLoop

/// Watches what is queued on the way to the bus, so that a bus that does not read cannot make the service grow.
final class OutgoingQueue {
  /// Above this many bytes nothing is sent that can wait. In memory a queued message takes about twice its bytes, and
  /// all subscriptions together must not make the service grow by more than 2 MiB.
  static let highWater = 768 * 1024
  private static let pollInterval: Int64 = 20_000

  private let bytes: () -> Int
  private var waiting: [() -> Void] = []
  private var poll: LoopSource?

  /// `bytes` tells how much is queued at the moment.
  init(_ bytes: @escaping () -> Int) { self.bytes = bytes }

  /// Calls `action` as soon as there is room: now, or when the queue has drained.
  func whenRoom(_ action: @escaping () -> Void) {
    guard waiting.isEmpty, hasRoom else {
      waiting.append(action)
      if poll == nil { poll = MainLoop.main.every(microseconds: Self.pollInterval) { [weak self] in self?.drain() } }
      return
    }
    action()
  }

  /// Whether something that can wait may go out now.
  var hasRoom: Bool { bytes() < Self.highWater }

  private func drain() {
    while hasRoom, !waiting.isEmpty {
      let actions = waiting
      waiting = []
      for (index, action) in actions.enumerated() {
        guard hasRoom else {
          waiting = Array(actions[index...]) + waiting
          return
        }
        action()
      }
    }
    if waiting.isEmpty { poll = nil }
  }
}
