// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes the scheduler's time periodically once connected.
  ///
  /// A subscriber without demand misses ticks.
  public final class TimerPublisher<Context: Scheduler>: ConnectablePublisher, Broadcaster {
    public typealias Output = Context.SchedulerTimeType
    public typealias Failure = Never

    public final let interval: Context.SchedulerTimeType.Stride
    /// The maximum delay of a tick.
    public final let tolerance: Context.SchedulerTimeType.Stride
    public final let scheduler: Context
    public final let options: Context.SchedulerOptions?

    @usableFromInline var subscriptions = SubscriptionList<Output, Never>()
    @usableFromInline var subscriptionLabel: String { "Timer" }
    private var timer: (any Cancellable)?

    /// Creates a timer that ticks every `interval` once connected, first after one interval.
    public init(
      interval: Context.SchedulerTimeType.Stride, tolerance: Context.SchedulerTimeType.Stride? = nil,
      scheduler: Context, options: Context.SchedulerOptions? = nil
    ) {
      self.interval = interval
      self.tolerance = tolerance ?? scheduler.minimumTolerance
      self.scheduler = scheduler
      self.options = options
    }

    @inlinable public final func receive<S: Subscriber<Output, Never>>(subscriber: S) { add(subscriber) }

    /// Starts the timer if it is not running. Cancel the returned object to stop it.
    public final func connect() -> any Cancellable {
      if timer == nil {
        timer = scheduler.schedule(
          after: scheduler.now.advanced(by: interval), interval: interval, tolerance: tolerance, options: options
        ) { [self] in subscriptions.send(scheduler.now) }
      }
      return AnyCancellable { [self] in stop() }
    }

    private func stop() {
      let last = timer
      timer = nil
      last?.cancel()
    }
  }
}

extension Scheduler {
  /// Returns a publisher of this scheduler's time every `interval`, mostly used with `autoconnect()`.
  public func timerPublisher(
    every interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride? = nil,
    options: SchedulerOptions? = nil
  ) -> Publishers.TimerPublisher<Self> {
    Publishers.TimerPublisher(interval: interval, tolerance: tolerance, scheduler: self, options: options)
  }
}
