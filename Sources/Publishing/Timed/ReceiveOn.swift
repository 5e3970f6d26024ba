// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher that delivers values and the end through a scheduler, in the order they came.
  public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are delivered.
    public let upstream: Upstream
    /// Where they are delivered.
    public let scheduler: Context
    /// What the scheduler is told.
    public let options: Context.SchedulerOptions?

    /// Delivers what `upstream` publishes through `scheduler`.
    public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
      self.upstream = upstream
      self.scheduler = scheduler
      self.options = options
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: Later("ReceiveOn", scheduler, options, wait: nil, Outlet(subscriber)))
    }
  }
}

extension Publisher {
  /// Delivers values and the end through a scheduler. After a cancellation nothing arrives that was still on its way.
  public func receive<S: Scheduler>(
    on scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.ReceiveOn<Self, S> {
    Publishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
  }
}
