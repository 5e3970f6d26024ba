// SPDX-License-Identifier: Apache-2.0
import Foundation
import Publishing

extension Timer {
  /// Publishes the date every `interval` seconds, once connected.
  public static func publish(
    every interval: TimeInterval, tolerance: TimeInterval? = nil, on runLoop: RunLoop, in mode: RunLoop.Mode,
    options: RunLoop.SchedulerOptions? = nil
  ) -> TimerPublisher {
    TimerPublisher(interval: interval, tolerance: tolerance, runLoop: runLoop, mode: mode, options: options)
  }

  /// Publishes the date periodically, on a run loop, once connected. A subscriber without demand misses ticks.
  public final class TimerPublisher: ConnectablePublisher {
    public typealias Output = Date
    public typealias Failure = Never

    /// Seconds from one tick to the next.
    public let interval: TimeInterval
    /// The maximum delay of a tick in seconds.
    public let tolerance: TimeInterval?
    /// The run loop that ticks.
    public let runLoop: RunLoop
    /// The mode of the run loop in which it ticks.
    public let mode: RunLoop.Mode
    /// The options, of which there are none.
    public let options: RunLoop.SchedulerOptions?
    private let subject = PassthroughSubject<Date, Never>()
    private var running: (any Cancellable)?

    /// Creates a timer that ticks every `interval` seconds once connected, first after one interval.
    public init(
      interval: TimeInterval, tolerance: TimeInterval? = nil, runLoop: RunLoop, mode: RunLoop.Mode,
      options: RunLoop.SchedulerOptions? = nil
    ) {
      self.interval = interval
      self.tolerance = tolerance
      self.runLoop = runLoop
      self.mode = mode
      self.options = options
    }

    public func receive<S: Subscriber<Date, Never>>(subscriber: S) { subject.receive(subscriber: subscriber) }

    /// Starts the timer, unless it is running. It stops when a returned object is cancelled, not when one is released.
    public func connect() -> any Cancellable {
      if running == nil {
        let first = Date(timeIntervalSinceNow: interval)
        running = runLoop.repeatAction(from: first, every: interval, tolerance: tolerance, in: mode) {
          self.subject.send(Date())
        }
      }
      return Connection(timer: self)
    }

    private func stop() {
      running?.cancel()
      running = nil
    }

    private struct Connection: Cancellable {
      let timer: TimerPublisher
      func cancel() { timer.stop() }
    }
  }
}
