// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Ends if upstream stays silent for too long.
  public struct Timeout<Upstream: Publisher, Context: Scheduler>: Operator {
    public let upstream: Upstream
    /// The longest silence allowed, measured from the subscription and from each value.
    public let interval: Context.SchedulerTimeType.Stride
    public let scheduler: Context
    public let options: Context.SchedulerOptions?
    /// Returns the error to fail with. If `nil`, the publisher finishes instead.
    public let customError: (() -> Failure)?

    public init(
      upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
      options: Context.SchedulerOptions?, customError: (() -> Failure)?
    ) {
      self.upstream = upstream
      self.interval = interval
      self.scheduler = scheduler
      self.options = options
      self.customError = customError
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      upstream.receive(subscriber: TimeoutLink(interval, scheduler, options, customError, subscriber))
    }
  }
}

extension Publisher {
  /// Ends if no value arrives for `interval`: with the error that `customError` returns, or normally without it.
  public func timeout<S: Scheduler>(
    _ interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil,
    customError: (() -> Failure)? = nil
  ) -> Publishers.Timeout<Self, S> {
    Publishers.Timeout(
      upstream: self, interval: interval, scheduler: scheduler, options: options, customError: customError)
  }
}

@usableFromInline
final class TimeoutLink<Context: Scheduler, Value, Failure: Error>: LaterLink<Value, Failure> {
  @usableFromInline let interval: Context.SchedulerTimeType.Stride
  @usableFromInline let alarm: Alarm<Context>
  @usableFromInline let customError: (() -> Failure)?

  @inlinable
  init<S: Subscriber<Value, Failure>>(
    _ interval: Context.SchedulerTimeType.Stride, _ scheduler: Context, _ options: Context.SchedulerOptions?,
    _ customError: (() -> Failure)?, _ subscriber: S
  ) {
    self.interval = interval
    self.customError = customError
    alarm = Alarm(scheduler, options)
    super.init("Timeout", subscriber) { scheduler.schedule(options: options, $0) }
  }

  @inlinable
  override func receive(subscription: any Subscription) {
    guard attach(subscription) else { return }
    downstream.receive(subscription: self)
    guard phase == .live else { return }
    alarm.action = { [weak self] in self?.timeOut() }
    alarm.set(interval)
  }

  @inlinable
  override func receive(_ input: Value) -> Subscribers.Demand {
    if phase == .live { alarm.set(interval) }
    return super.receive(input)
  }

  @inlinable
  override func receive(completion: Subscribers.Completion<Failure>) {
    if phase == .live { alarm.stop() }
    super.receive(completion: completion)
  }

  @inlinable
  func timeOut() {
    guard phase == .live else { return }
    cancel()
    downstream.receive(completion: customError.map { .failure($0()) } ?? .finished)
  }

  @usableFromInline override func release() { alarm.stop() }
}
