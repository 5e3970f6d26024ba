// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher that delivers values and the end some time later.
  public struct Delay<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are delayed.
    public let upstream: Upstream
    /// By how much.
    public let interval: Context.SchedulerTimeType.Stride
    /// How much more it may be.
    public let tolerance: Context.SchedulerTimeType.Stride
    /// Where time is measured and values are delivered.
    public let scheduler: Context
    /// What the scheduler is told.
    public let options: Context.SchedulerOptions?

    /// Delays what `upstream` publishes.
    public init(
      upstream: Upstream, interval: Context.SchedulerTimeType.Stride, tolerance: Context.SchedulerTimeType.Stride,
      scheduler: Context, options: Context.SchedulerOptions? = nil
    ) {
      self.upstream = upstream
      self.interval = interval
      self.tolerance = tolerance
      self.scheduler = scheduler
      self.options = options
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: Later("Delay", scheduler, options, wait: (interval, tolerance), Outlet(subscriber)))
    }
  }
}

extension Publisher {
  /// Delivers values and the end later by `interval`, or by up to `tolerance` more.
  public func delay<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.Delay<Self, S> {
    Publishers.Delay(
      upstream: self, interval: interval, tolerance: tolerance ?? scheduler.minimumTolerance, scheduler: scheduler,
      options: options)
  }
}
