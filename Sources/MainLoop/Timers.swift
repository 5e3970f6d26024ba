// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

extension MainLoop {
  /// Calls `action` once after `microseconds`, unless the returned source ends first.
  public func after(microseconds: Int64, _ action: @escaping () -> Void) -> LoopSource {
    at(monotonic: Int64(g_get_monotonic_time()).addingClamped(max(0, microseconds)), action)
  }

  /// Calls `action` once after `milliseconds`, unless the returned source ends first.
  public func after(milliseconds: Int64, _ action: @escaping () -> Void) -> LoopSource {
    after(microseconds: milliseconds.multipliedClamped(by: 1_000), action)
  }

  /// Calls `action` once at a time of the kernel's monotonic clock, in microseconds, or immediately if that time has
  /// passed.
  public func at(monotonic: Int64, _ action: @escaping () -> Void) -> LoopSource {
    timerSource(readyAt: monotonic) {
      action()
      return false
    }
  }

  /// Calls `action` every `microseconds` without drift: each time is calculated from the previous one.
  ///
  /// Calls missed while the program was stopped or busy are skipped.
  public func every(microseconds: Int64, first: Int64? = nil, _ action: @escaping () -> Void) -> LoopSource {
    let interval = max(1, microseconds)
    var next = max(0, first ?? Int64(g_get_monotonic_time()).addingClamped(interval))
    weak var timer: LoopSource?
    let source = timerSource(readyAt: next) {
      let late = max(0, Int64(g_get_monotonic_time()) - next)
      next = next.addingClamped((late / interval + 1).multipliedClamped(by: interval))
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

  private func timerSource(readyAt time: Int64, _ action: @escaping () -> Bool) -> LoopSource {
    // A plain source with a ready time, because g_timeout_add rounds to milliseconds.
    guard let source = g_source_new(Self.timerFunctions, guint(MemoryLayout<GSource>.size)) else {
      fatalError("out of memory")
    }
    g_source_set_ready_time(source, gint64(max(0, time)))
    return LoopSource(attaching: source, action: action)
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
