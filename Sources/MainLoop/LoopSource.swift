// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// An event source on the loop: a timer, a file descriptor, the next turn. It ends when released, unless it is left to
/// the loop:
///
/// ```swift
/// MainLoop.main.after(.milliseconds(500)) { print("half a second later") }.keep()
/// ```
@MainActor public class LoopSource {
  private var source: UnsafeMutablePointer<GSource>?
  /// Valid while the source is active.
  private let callback: Unmanaged<Callback>

  /// Takes ownership of the caller's reference and attaches the source to the main loop.
  init(attaching source: UnsafeMutablePointer<GSource>, action: @escaping () -> Bool) {
    self.source = source
    callback = Unmanaged.passRetained(Callback(action))
    g_source_set_callback(
      source,
      { data in
        guard let data else { return 0 }
        return Unmanaged<Callback>.fromOpaque(data).takeUnretainedValue().action() ? 1 : 0
      },
      callback.toOpaque(),
      { data in
        if let data { Unmanaged<Callback>.fromOpaque(data).release() }
      })
    g_source_attach(source, nil)
  }

  isolated deinit { cancel() }

  /// Ends the source, so that its action is not called again. May be called repeatedly and from inside the action.
  public func cancel() {
    guard let source else { return }
    self.source = nil
    g_source_destroy(source)
    g_source_unref(source)
  }

  /// Leaves the source to the loop until it has finished or is cancelled.
  public func keep() { if isActive { callback.takeUnretainedValue().kept = self } }

  /// Changes the time at which a timer fires.
  package func setReadyTime(_ time: MonotonicInstant) {
    if let arm = MainLoop.main.arm { return arm(self, time) }
    if let source { g_source_set_ready_time(source, time.readyTime) }
  }

  /// Makes a timer fire in the next turn, whatever the time is.
  package func makeReady() { if let source { g_source_set_ready_time(source, 0) } }

  /// Whether the action may still be called.
  public var isActive: Bool {
    guard let source else { return false }
    return g_source_is_destroyed(source) == 0
  }

  private final class Callback {
    let action: () -> Bool
    /// GLib releases this object, and with it the source, when the source is destroyed.
    var kept: LoopSource?
    init(_ action: @escaping () -> Bool) { self.action = action }
  }
}
