// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

extension MainLoop {
  /// Calls `action` once after a delay, unless the returned source ends first.
  public func after(_ delay: Duration, _ action: @escaping () -> Void) -> LoopSource {
    at(timerTime + max(.zero, delay), action)
  }

  /// Calls `action` once at a time of the monotonic clock, or immediately if that time has passed.
  public func at(_ time: MonotonicInstant, _ action: @escaping () -> Void) -> LoopSource {
    timerSource(readyAt: time) {
      action()
      return false
    }
  }

  /// Calls `action` repeatedly without drift: each time is calculated from the previous one.
  ///
  /// Calls missed while the program was stopped or busy are skipped.
  public func every(
    _ interval: Duration, first: MonotonicInstant? = nil, _ action: @escaping () -> Void
  ) -> LoopSource {
    let interval = max(.microseconds(1), interval)
    var next = first ?? timerTime + interval
    weak var timer: LoopSource?
    let source = timerSource(readyAt: next) { [self] in
      let late = max(.zero, timerTime - next)
      next = next + interval * (late.microseconds / interval.microseconds + 1)
      timer?.setReadyTime(next)
      action()
      return true
    }
    timer = source
    return source
  }

  /// Calls `action` once on the loop's next turn.
  public func nextTurn(_ action: @escaping () -> Void) -> LoopSource {
    whileTrue {
      action()
      return false
    }
  }

  /// Calls `action` once per turn while it returns true.
  public func whileTrue(_ action: @escaping () -> Bool) -> LoopSource {
    guard let source = g_idle_source_new() else { fatalError("out of memory") }
    // With the default priority of idle sources, a busy connection would starve it.
    g_source_set_priority(source, G_PRIORITY_DEFAULT)
    return LoopSource(attaching: source, action: action)
  }

  private func timerSource(readyAt time: MonotonicInstant, _ action: @escaping () -> Bool) -> LoopSource {
    // A plain source with a ready time, because g_timeout_add rounds to milliseconds.
    guard let source = g_source_new(Self.timerFunctions, guint(MemoryLayout<GSource>.size)) else {
      fatalError("out of memory")
    }
    if arm == nil { g_source_set_ready_time(source, time.readyTime) }
    let timer = LoopSource(attaching: source, action: action)
    arm?(timer, time)
    return timer
  }

  private static let timerFunctions: UnsafeMutablePointer<GSourceFuncs> = {
    let functions = UnsafeMutablePointer<GSourceFuncs>.allocate(capacity: 1)
    functions.initialize(to: GSourceFuncs())
    functions.pointee.dispatch = { source, callback, data in
      // Disarm first, because a source whose time has passed would be ready again immediately.
      g_source_set_ready_time(source, -1)
      return callback?(data) ?? 0
    }
    return functions
  }()
}

extension MonotonicInstant {
  /// The time as GLib counts, rounded up, so that an action that reads the clock does not find itself early.
  var readyTime: gint64 { gint64(clamping: (self + .nanoseconds(999)).microseconds) }
}
