// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// GLib's default main loop, the only thread on which this package runs.
///
/// A program calls ``run()`` once at the end of `main`. The loop then serves everything set up before (timers, watches,
/// connections, publishers scheduled on the loop), until ``quit(status:)`` makes ``run()`` return. Swift tasks and
/// `DispatchQueue.main` require `MainLoopTasks`.
public final class MainLoop {
  /// The loop of the main thread.
  public static let main = MainLoop()

  /// The clock that code on the loop reads, replaceable in tests. Timers always use the kernel's clock, except in the virtual
  /// time of `PublicistTesting`.
  public var clock = LoopClock.system

  /// Receives timers instead of the kernel while a test controls the time.
  package var arm: ((LoopSource, MonotonicInstant) -> Void)?
  /// The time that timers follow.
  package var timerTime: MonotonicInstant { (arm == nil ? .system : clock).monotonic() }

  private let loop: OpaquePointer
  private var exitStatus: Int32 = 0
  private var isRunning = false
  private var hasQuit = false
  /// Whether Swift tasks run in the turns of this loop.
  package var servesTasks = false

  private init() {
    // The context is acquired only while the loop runs, because in tests the main actor moves between threads.
    loop = g_main_loop_new(nil, 0)
  }

  /// Runs the loop until ``quit(status:)`` is called, and returns the status.
  ///
  /// If ``quit(status:)`` was called before, returns immediately.
  @discardableResult public func run() -> Int32 {
    if !hasQuit {
      #if DEBUG
        let hint = servesTasks ? nil : TaskHint()
        defer { withExtendedLifetime(hint) {} }
      #endif
      isRunning = true
      g_main_loop_run(loop)
      isRunning = false
    }
    hasQuit = false
    return exitStatus
  }

  /// Makes ``run()`` return after the current turn. If called repeatedly, the first status counts.
  public func quit(status: Int32 = 0) {
    guard !hasQuit else { return }
    hasQuit = true
    exitStatus = status
    if isRunning { g_main_loop_quit(loop) }
  }

  /// Runs one turn of the loop. Waits for an event if `mayBlock` is true.
  ///
  /// Returns whether anything was dispatched.
  @discardableResult public func iterate(mayBlock: Bool = false) -> Bool {
    g_main_context_iteration(nil, mayBlock ? 1 : 0) != 0
  }
}
