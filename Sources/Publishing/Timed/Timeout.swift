// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher that ends when its upstream is silent for too long.
  public struct Timeout<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that is watched.
    public let upstream: Upstream
    /// The longest silence allowed, counted from the subscription and from each value.
    public let interval: Context.SchedulerTimeType.Stride
    /// Where time is measured and values are delivered.
    public let scheduler: Context
    /// What the scheduler is told.
    public let options: Context.SchedulerOptions?
    /// Makes the error to fail with; without it the publisher finishes.
    public let customError: (() -> Failure)?

    /// Watches `upstream`.
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

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: TimeoutLink(interval, scheduler, options, customError, Outlet(subscriber)))
    }
  }
}

extension Publisher {
  /// Ends when nothing comes for `interval`: with the error that `customError` makes, or normally without it.
  public func timeout<S: Scheduler>(
    _ interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil,
    customError: (() -> Failure)? = nil
  ) -> Publishers.Timeout<Self, S> {
    Publishers.Timeout(
      upstream: self, interval: interval, scheduler: scheduler, options: options, customError: customError)
  }
}

@usableFromInline
final class TimeoutLink<Context: Scheduler, Downstream: Subscriber>: Link, Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let interval: Context.SchedulerTimeType.Stride
  @usableFromInline let alarm: Alarm<Context>
  @usableFromInline let customError: (() -> Failure)?
  @usableFromInline let downstream: Downstream

  @inlinable
  init(
    _ interval: Context.SchedulerTimeType.Stride, _ scheduler: Context, _ options: Context.SchedulerOptions?,
    _ customError: (() -> Failure)?, _ downstream: Downstream
  ) {
    self.interval = interval
    self.customError = customError
    self.downstream = downstream
    alarm = Alarm(scheduler, options)
  }

  @inlinable
  func receive(subscription: any Subscription) {
    guard attach(subscription) else { return }
    downstream.receive(subscription: self)
    guard phase == .live else { return }
    alarm.action = { [weak self] in self?.timeOut() }
    alarm.set(interval)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    alarm.set(interval)
    alarm.scheduler.schedule(options: alarm.options) { [self] in
      guard phase == .live || phase == .ending else { return }
      let more = downstream.receive(input)
      if more > .none { upstream?.request(more) }
    }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    phase = .ending
    upstream = nil
    alarm.stop()
    alarm.scheduler.schedule(options: alarm.options) { [self] in
      guard phase == .ending else { return }
      phase = .done
      downstream.receive(completion: completion)
    }
  }

  @inlinable
  func timeOut() {
    guard phase == .live else { return }
    cancel()
    downstream.receive(completion: customError.map { .failure($0()) } ?? .finished)
  }

  @usableFromInline
  override func cancel() {
    let last = detach()
    alarm.stop()
    last?.cancel()
  }

  @usableFromInline
  override var description: String { "Timeout" }
}
