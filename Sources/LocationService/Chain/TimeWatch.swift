// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistCGLib
import MainLoop

/// Reports that the machine has slept or that the wall clock was set.
@MainActor public final class TimeWatch {
  nonisolated public enum Event: Equatable, Sendable {
    case sleeping
    /// The machine has slept and may have moved.
    case woke
    case clockSet
  }

  private let onEvent: (Event) -> Void
  private var match: SignalMatch?
  private var descriptor: Int32 = -1
  private var watch: LoopSource?
  private var sleep = SleepMeter(MainLoop.main.clock)

  /// Watches logind through the given connection, and the kernel's clock in case there is no logind.
  public init(on connection: Connection, _ onEvent: @escaping (Event) -> Void) {
    self.onEvent = onEvent
    match = connection.onSignal(
      MatchRule(
        sender: "org.freedesktop.login1", path: "/org/freedesktop/login1",
        interface: "org.freedesktop.login1.Manager", member: "PrepareForSleep")
    ) { [weak self] signal in
      guard let self, let isBefore = signal.arguments.first?.boolean else { return }
      if isBefore { self.onEvent(.sleeping) } else { woke() }
    }
    followClock()
  }

  isolated deinit {
    watch = nil
    if descriptor >= 0 { close(descriptor) }
  }

  /// The kernel cancels such a timer when the wall clock jumps, which includes waking from sleep.
  private func followClock() {
    descriptor = timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
    guard descriptor >= 0 else { return }
    arm()
    watch = MainLoop.main.watch(descriptor: descriptor, for: .readable) { [weak self] _ in self?.clockJumped() }
  }

  private func arm() {
    var time = itimerspec()
    time.it_value.tv_sec = .max
    timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME) | Int32(TFD_TIMER_CANCEL_ON_SET), &time, nil)
  }

  private func clockJumped() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
    arm()
    onEvent(sleep.newSleep(MainLoop.main.clock) > .zero ? .woke : .clockSet)
  }

  private func woke() {
    _ = sleep.newSleep(MainLoop.main.clock)
    onEvent(.woke)
  }
}
