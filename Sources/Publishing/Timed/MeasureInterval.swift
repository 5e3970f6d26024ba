// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of the times between the values of its upstream.
  public struct MeasureInterval<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// What it publishes.
    public typealias Output = Context.SchedulerTimeType.Stride
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are timed.
    public let upstream: Upstream
    /// Where time is measured.
    public let scheduler: Context

    /// Measures the times between the values of `upstream`.
    public init(upstream: Upstream, scheduler: Context) {
      self.upstream = upstream
      self.scheduler = scheduler
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: MeasureIntervalLink<Upstream.Output, _, _>(scheduler, Outlet(subscriber)))
    }
  }
}

extension Publisher {
  /// Publishes, for each value, the time since the one before it, or since the subscription.
  public func measureInterval<S: Scheduler>(
    using scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.MeasureInterval<Self, S> {
    Publishers.MeasureInterval(upstream: self, scheduler: scheduler)
  }
}

@usableFromInline
final class MeasureIntervalLink<Input, Context: Scheduler, Downstream: Subscriber>: Link, Subscriber
where Downstream.Input == Context.SchedulerTimeType.Stride {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let scheduler: Context
  @usableFromInline let downstream: Downstream
  @usableFromInline var last: Context.SchedulerTimeType?

  @inlinable
  init(_ scheduler: Context, _ downstream: Downstream) {
    self.scheduler = scheduler
    self.downstream = downstream
  }

  @inlinable
  func receive(subscription: any Subscription) {
    guard attach(subscription) else { return }
    last = scheduler.now
    downstream.receive(subscription: self)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live, let last else { return .none }
    let now = scheduler.now
    self.last = now
    return downstream.receive(last.distance(to: now))
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    _ = detach()
    downstream.receive(completion: completion)
  }

  @usableFromInline
  override var description: String { "MeasureInterval" }
}
