// SPDX-License-Identifier: Apache-2.0
import MainLoop

/// Notices when nobody has used the service for a while; makes no wake-ups while somebody does.
final class IdleWatch {
  /// Seconds; 0 is never.
  var timeout: Double {
    didSet {
      // A timer that waits for the old end would come too late for a nearer one.
      timer = nil
      touch()
    }
  }
  var isBusy: () -> Bool = { false }
  var onIdle: (() -> Void)? { didSet { touch() } }

  private var lastUse = MainLoop.main.clock.monotonic()
  private var timer: LoopSource?

  init(timeout: Double) { self.timeout = timeout }

  /// Somebody has used the service, or has ceased to.
  func touch() {
    lastUse = MainLoop.main.clock.monotonic()
    if timer == nil || timeout == 0 { arm(after: period) }
  }

  private var period: Int64 { Int64(timeout * 1_000_000) }

  private func arm(after microseconds: Int64) {
    guard timeout > 0, onIdle != nil else {
      timer = nil
      return
    }
    timer = MainLoop.main.after(microseconds: microseconds) { [weak self] in self?.look() }
  }

  private func look() {
    timer = nil
    // Whoever is the last to leave touches the watch again.
    guard timeout > 0, !isBusy() else { return }
    let idle = MainLoop.main.clock.monotonic() - lastUse
    let rest = period - idle
    if rest > 0 { arm(after: rest) } else { onIdle?() }
  }
}
