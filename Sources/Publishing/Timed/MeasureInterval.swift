// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes the time between values.
  public struct MeasureInterval<Upstream: Publisher, Context: Scheduler>: Operator {
    public typealias Output = Context.SchedulerTimeType.Stride

    public let upstream: Upstream
    public let scheduler: Context

    public init(upstream: Upstream, scheduler: Context) {
      self.upstream = upstream
      self.scheduler = scheduler
    }

    @inlinable
    public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
      upstream.receive(subscriber: MeasureIntervalLink<Upstream.Output, _, _>(scheduler, subscriber))
    }
  }
}

extension Publisher {
  /// Publishes the time between each value and the one before it, or the subscription.
  public func measureInterval<S: Scheduler>(
    using scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.MeasureInterval<Self, S> {
    Publishers.MeasureInterval(upstream: self, scheduler: scheduler)
  }
}

@usableFromInline
final class MeasureIntervalLink<Input, Context: Scheduler, Failure: Error>: OperatorLink<
  Input, Context.SchedulerTimeType.Stride, Failure
>
{
  @usableFromInline let scheduler: Context
  @usableFromInline var last: Context.SchedulerTimeType?

  @inlinable
  init<S: Subscriber<Context.SchedulerTimeType.Stride, Failure>>(_ scheduler: Context, _ subscriber: S) {
    self.scheduler = scheduler
    super.init("MeasureInterval", subscriber)
  }

  @inlinable
  override func receive(subscription: any Subscription) {
    if phase == .waiting { last = scheduler.now }
    super.receive(subscription: subscription)
  }

  @inlinable
  override func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live, let last else { return .none }
    let now = scheduler.now
    self.last = now
    return downstream.receive(last.distance(to: now))
  }
}
