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

    /// Starts the timer. Cancel the returned object to stop it.
    public func connect() -> any Cancellable {
      let first = Date(timeIntervalSinceNow: interval)
      let subject = subject
      return runLoop.repeatAction(from: first, every: interval, tolerance: tolerance, in: mode) { subject.send(Date()) }
    }
  }
}
