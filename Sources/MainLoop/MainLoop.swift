// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// GLib's default main loop, the one thread on which everything in this package happens.
///
/// A program calls ``run()`` once, at the end of `main`. Everything that it has set up before (timers, watches,
/// connections, publishers scheduled on the loop) is served from then on, until ``quit(status:)`` makes ``run()``
/// return. The loop serves Swift tasks and `DispatchQueue.main` only with `MainLoopTasks`.
public final class MainLoop {
  /// The loop of the main thread.
  public static let main = MainLoop()

  /// The clock that code on the loop reads; tests may replace it. The timers themselves follow the kernel's clock.
  public var clock = LoopClock.system

  private let loop: OpaquePointer
  private var exitStatus: Int32 = 0
  private var isRunning = false
  private var hasQuit = false

  private init() {
    // The context is owned only while it runs: in tests, different threads serve the main actor over time.
    loop = g_main_loop_new(nil, 0)
  }

  /// Runs the loop until ``quit(status:)`` is called, and returns its status.
  ///
  /// A ``quit(status:)`` before the call is not lost: `run()` then returns at once.
  @discardableResult
  public func run() -> Int32 {
    if !hasQuit {
      isRunning = true
      g_main_loop_run(loop)
      isRunning = false
    }
    hasQuit = false
    return exitStatus
  }

  /// Makes ``run()`` return after the current turn; of several calls, the first status counts.
  public func quit(status: Int32 = 0) {
    guard !hasQuit else { return }
    hasQuit = true
    exitStatus = status
    if isRunning { g_main_loop_quit(loop) }
  }

  /// Runs one turn of the loop; waits for an event if `mayBlock` is set.
  ///
  /// Returns whether anything was dispatched.
  @discardableResult
  public func iterate(mayBlock: Bool = false) -> Bool {
    g_main_context_iteration(nil, mayBlock ? 1 : 0) != 0
  }
}
