// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Somebody who waits for the next value; woken by the value, the end, or the cancellation of the task.
final class Waiter<Value> {
  /// What it was woken with; `nil` for the end and for a cancellation.
  var value: Value?
  private let latch = Latch()

  func wake() { latch.open() }

  /// Waits to be woken, or for the task to be cancelled.
  func wait(isolation: isolated (any Actor)? = #isolation) async {
    let latch = self.latch
    await withTaskCancellationHandler {
      await withCheckedContinuation { latch.wait($0) }
    } onCancel: {
      latch.open()
    }
  }

  /// Waits to be woken, cancelled or not.
  func waitOut(isolation: isolated (any Actor)? = #isolation) async {
    let latch = self.latch
    await withCheckedContinuation { latch.wait($0) }
  }
}

/// Opens once. The one lock of this module is here, since a task is cancelled from any thread.
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
