// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Delivers values and the completion later.
  public struct Delay<Upstream: Publisher, Context: Scheduler>: Operator {
    public let upstream: Upstream
    public let interval: Context.SchedulerTimeType.Stride
    /// The maximum additional delay.
    public let tolerance: Context.SchedulerTimeType.Stride
    public let scheduler: Context
    public let options: Context.SchedulerOptions?

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

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      let (interval, tolerance, scheduler, options) = (self.interval, self.tolerance, self.scheduler, self.options)
      let link = LaterLink("Delay", subscriber) { action in
        scheduler.schedule(
          after: scheduler.now.advanced(by: interval), tolerance: tolerance, options: options, action)
      }
      upstream.receive(subscriber: link)
    }
  }

  /// Delivers values and the completion through a scheduler, in their original order.
  public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Operator {
    public let upstream: Upstream
    public let scheduler: Context
    public let options: Context.SchedulerOptions?

    public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
      self.upstream = upstream
      self.scheduler = scheduler
      self.options = options
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      let (scheduler, options) = (self.scheduler, self.options)
      upstream.receive(subscriber: LaterLink("ReceiveOn", subscriber) { scheduler.schedule(options: options, $0) })
    }
  }
}

extension Publisher {
  /// Delays values and the completion by `interval`, and by at most `tolerance` more.
  public func delay<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.Delay<Self, S> {
    Publishers.Delay(
      upstream: self, interval: interval, tolerance: tolerance ?? scheduler.minimumTolerance, scheduler: scheduler,
      options: options)
  }

  /// Delivers values and the completion through a scheduler. A cancellation also stops values in transit.
  public func receive<S: Scheduler>(
    on scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.ReceiveOn<Self, S> {
    Publishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
  }
}

/// Passes on everything through a closure that runs it later, in order.
@usableFromInline
class LaterLink<Value, Failure: Error>: OperatorLink<Value, Value, Failure> {
  @usableFromInline let later: (@escaping () -> Void) -> Void

  @inlinable
  init<S: Subscriber<Value, Failure>>(
    _ label: String, _ subscriber: S, later: @escaping (@escaping () -> Void) -> Void
  ) {
    self.later = later
    super.init(label, subscriber)
  }

  @inlinable
  override func receive(_ input: Value) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    later { [self] in
      guard phase != .done else { return }
      let more = downstream.receive(input)
      if more > .none { upstream?.request(more) }
    }
    return .none
  }

  @inlinable
  override func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    // Values in transit are still delivered.
    complete(completion, later)
  }
}
