// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// GLib's default main loop, the one thread on which everything in this package happens.
///
/// A program calls ``run()`` once, at the end of `main`; whatever it has set up before (timers, watches, connections,
/// publishers scheduled on the loop) comes to life then, and ``quit(status:)`` makes ``run()`` return.
/// Swift tasks and `DispatchQueue.main` are not served by it.
public final class MainLoop {
  /// The loop of the main thread.
  public static let main = MainLoop()

  /// What the users of the loop read the time from; tests may replace it. The timers themselves follow the kernel's.
  public var clock = LoopClock.system

  private let loop: OpaquePointer
  private var exitStatus: Int32 = 0
  private var isRunning = false
  private var hasQuit = false

  private init() {
    // The context is owned only while it runs: who serves the main actor in a test is one thread now and another later.
    loop = g_main_loop_new(nil, 0)
  }

  /// Serves the loop until ``quit(status:)`` is called, and returns the status given there.
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

  /// Makes ``run()`` return after the current turn; the first status of several is kept.
  public func quit(status: Int32 = 0) {
    guard !hasQuit else { return }
    hasQuit = true
    exitStatus = status
    if isRunning { g_main_loop_quit(loop) }
  }

  /// Serves what is ready, once; waits for something to become ready if `mayBlock` is set.
  ///
  /// Returns whether anything was dispatched.
  @discardableResult
  public func iterate(mayBlock: Bool = false) -> Bool {
    g_main_context_iteration(nil, mayBlock ? 1 : 0) != 0
  }
}
