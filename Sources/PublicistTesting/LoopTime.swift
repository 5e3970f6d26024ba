// SPDX-License-Identifier: Apache-2.0
@_exported import MainLoop

extension MainLoop {
  /// Stops the time of the loop while `body` runs: timers created there fire only when the test advances the time.
  ///
  /// ``clock`` shows the same time. Timers that exist already, file watches and D-Bus follow the kernel. Afterwards, waiting
  /// timers fire when their time of the kernel's clock comes.
  public func withVirtualTime<Result, Failure>(
    _ body: (LoopTime) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let (clock, arm) = (clock, arm)
    let time = LoopTime(clock)
    self.clock = time.clock
    self.arm = time.arm
    defer {
      self.clock = clock
      self.arm = arm
      time.release()
    }
    return try body(time)
  }
}

/// The time of the main loop in a test, see `MainLoop.withVirtualTime(_:)`.
public final class LoopTime {
  private struct Timer {
    let due: MonotonicInstant
    weak var source: LoopSource?
  }

  private let start: (monotonic: MonotonicInstant, boottime: BootInstant, realtime: UInt64)
  private var timers: [Timer] = []
  /// How far the time was advanced.
  public private(set) var elapsed = Duration.zero

  fileprivate init(_ clock: LoopClock) { start = (clock.monotonic(), clock.boottime(), clock.realtime()) }

  /// Advances the time and runs the timers that become due on the way, each at its own time.
  ///
  /// Work for the next turn of the loop runs too, also if `span` is zero.
  public func advance(by span: Duration = .zero) {
    let end = elapsed + span
    settle()
    while let next = timers.min(by: { $0.due < $1.due }), next.due - start.monotonic <= end {
      elapsed = max(elapsed, next.due - start.monotonic)
      timers.removeAll { $0.source === next.source }
      next.source?.makeReady()
      settle()
    }
    elapsed = end
  }

  fileprivate var clock: LoopClock {
    LoopClock(
      monotonic: { [self] in start.monotonic + elapsed }, boottime: { [self] in start.boottime + elapsed },
      realtime: { [self] in start.realtime + UInt64(clamping: elapsed.microseconds) })
  }

  fileprivate func arm(_ source: LoopSource, at time: MonotonicInstant) {
    timers.removeAll { $0.source == nil || $0.source === source }
    timers.append(Timer(due: time, source: source))
  }

  fileprivate func release() { for timer in timers { timer.source?.setReadyTime(timer.due) } }

  private func settle() { while MainLoop.main.iterate() {} }
}
