// SPDX-License-Identifier: Apache-2.0
import MainLoop

/// Reports when the service has been idle for a while. Causes no wake-ups while it is in use.
final class IdleWatch {
  /// The idle time in seconds. 0 means never.
  var timeout: Double {
    didSet {
      // A timer set for the old deadline would be too late for an earlier one.
      timer = nil
      touch()
    }
  }
  var isBusy: () -> Bool = { false }
  var onIdle: (() -> Void)? { didSet { touch() } }

  private var lastUse = MainLoop.main.clock.monotonic()
  private var timer: LoopSource?

  init(timeout: Double) { self.timeout = timeout }

  /// Records that the service was used or is no longer in use.
  func touch() {
    lastUse = MainLoop.main.clock.monotonic()
    if timer == nil || timeout == 0 { arm(after: period) }
  }

  private var period: Duration { .microseconds(Int64(timeout * 1_000_000)) }

  private func arm(after rest: Duration) {
    guard timeout > 0, onIdle != nil else {
      timer = nil
      return
    }
    timer = MainLoop.main.after(rest) { [weak self] in self?.look() }
  }

  private func look() {
    timer = nil
    // If the service is busy, the last client to leave touches the watch again.
    guard timeout > 0, !isBusy() else { return }
    let rest = period - (MainLoop.main.clock.monotonic() - lastUse)
    if rest > .zero { arm(after: rest) } else { onIdle?() }
  }
}
