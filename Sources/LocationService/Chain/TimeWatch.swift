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
  private var state = State(MainLoop.main.clock)

  /// Watches logind through the given connection, and the kernel's clock in case there is no logind.
  public init(on connection: Connection, _ onEvent: @escaping (Event) -> Void) {
    self.onEvent = onEvent
    match = connection.onSignal(
      MatchRule(
        sender: "org.freedesktop.login1", path: "/org/freedesktop/login1",
        interface: "org.freedesktop.login1.Manager", member: "PrepareForSleep")
    ) { [weak self] signal in
      guard let self, let isBefore = signal.arguments.first?.boolean else { return }
      tell(isBefore ? state.sleeping() : state.woke(MainLoop.main.clock))
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
    tell(state.clockJumped(MainLoop.main.clock))
  }

  private func tell(_ event: Event?) { if let event { onEvent(event) } }

  /// Reports each sleep once. logind announces that the machine is awake some seconds after the kernel, when the device
  /// has already been located again.
  struct State {
    private var sleep: SleepMeter
    /// Whether the kernel has reported a sleep since logind last announced one.
    private var isReported = false

    init(_ clock: LoopClock) { sleep = SleepMeter(clock) }

    /// Handles logind's announcement that the machine will sleep.
    mutating func sleeping() -> Event {
      isReported = false
      return .sleeping
    }

    /// Handles a jump of the wall clock.
    mutating func clockJumped(_ clock: LoopClock) -> Event {
      guard sleep.newSleep(clock) > .zero else { return .clockSet }
      isReported = true
      return .woke
    }

    /// Handles logind's announcement that the machine is awake. Returns nil if that is known.
    mutating func woke(_ clock: LoopClock) -> Event? {
      let isNew = sleep.newSleep(clock) > .zero
      defer { isReported = false }
      return isNew || !isReported ? .woke : nil
    }
  }
}
