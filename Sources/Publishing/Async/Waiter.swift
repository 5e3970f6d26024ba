// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Waits for one value. Ended by the value, the completion or the cancellation of the task.
final class Waiter<Value> {
  /// The value, or `nil` after a completion or cancellation.
  var value: Value?
  private var isWoken = false
  private var latch: Latch?

  func wake() {
    isWoken = true
    latch?.open()
  }

  /// Waits until woken or until the task is cancelled.
  func wait(isolation: isolated (any Actor)? = #isolation) async {
    guard !isWoken else { return }
    let latch = Latch()
    self.latch = latch
    await withTaskCancellationHandler {
      await withCheckedContinuation { latch.wait($0) }
    } onCancel: {
      latch.open()
    }
  }

  /// Waits until woken, even if the task is cancelled.
  func waitOut(isolation: isolated (any Actor)? = #isolation) async {
    guard !isWoken else { return }
    let latch = Latch()
    self.latch = latch
    await withCheckedContinuation { latch.wait($0) }
  }
}

/// A one-time latch. It needs a lock because a task can be cancelled from any thread.
private final class Latch: Sendable {
  private enum State {
    case closed
    case waitedFor(CheckedContinuation<Void, Never>)
    case open
  }

  private let state = Mutex(State.closed)

  func wait(_ continuation: CheckedContinuation<Void, Never>) {
    let isOpen = state.withLock { state in
      if case .open = state { return true }
      state = .waitedFor(continuation)
      return false
    }
    if isOpen { continuation.resume() }
  }

  func open() {
    let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
      defer { state = .open }
      if case .waitedFor(let continuation) = state { return continuation }
      return nil
    }
    waiting?.resume()
  }
}
