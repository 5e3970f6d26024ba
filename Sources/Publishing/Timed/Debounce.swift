// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of those values after which nothing came for a while.
  ///
  /// It asks its upstream for everything. A value that nobody wants when it is due is lost, and so is one that still
  /// waits when the upstream ends.
  public struct Debounce<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose pauses are waited for.
    public let upstream: Upstream
    /// How long a pause has to be.
    public let dueTime: Context.SchedulerTimeType.Stride
    /// Where time is measured and values are delivered.
    public let scheduler: Context
    /// What the scheduler is told.
    public let options: Context.SchedulerOptions?

    /// Waits for pauses of `upstream`.
    public init(
      upstream: Upstream, dueTime: Context.SchedulerTimeType.Stride, scheduler: Context,
      options: Context.SchedulerOptions?
    ) {
      self.upstream = upstream
      self.dueTime = dueTime
      self.scheduler = scheduler
      self.options = options
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: DebounceLink(dueTime, scheduler, options, Outlet(subscriber)))
    }
  }
}

extension Publisher {
  /// Publishes a value when no other has come for `dueTime` after it.
  public func debounce<S: Scheduler>(
    for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.Debounce<Self, S> {
    Publishers.Debounce(upstream: self, dueTime: dueTime, scheduler: scheduler, options: options)
  }
}

@usableFromInline
final class DebounceLink<Context: Scheduler, Downstream: Subscriber>: Link, Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let dueTime: Context.SchedulerTimeType.Stride
  @usableFromInline let alarm: Alarm<Context>
  @usableFromInline let downstream: Downstream
  @usableFromInline var machine = DebounceMachine<Input>()

  @inlinable
  init(
    _ dueTime: Context.SchedulerTimeType.Stride, _ scheduler: Context, _ options: Context.SchedulerOptions?,
    _ downstream: Downstream
  ) {
    self.dueTime = dueTime
    self.downstream = downstream
    alarm = Alarm(scheduler, options)
  }

  @inlinable
  func receive(subscription: any Subscription) {
    guard attach(subscription) else { return }
    alarm.action = { [weak self] in self?.fire() }
    downstream.receive(subscription: self)
    if phase == .live { subscription.request(.unlimited) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    machine.receive(input)
    alarm.set(dueTime)
    return .none
  }

  @inlinable
  func fire() {
    guard phase == .live, let value = machine.fire() else { return }
    machine.demand += downstream.receive(value)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    phase = .ending
    upstream = nil
    machine.end()
    alarm.stop()
    alarm.scheduler.schedule(options: alarm.options) { [self] in
      guard phase == .ending else { return }
      phase = .done
      downstream.receive(completion: completion)
    }
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    machine.demand += demand
  }

  @usableFromInline
  override func cancel() {
    let last = detach()
    machine.end()
    alarm.stop()
    last?.cancel()
  }

  @usableFromInline
  override var description: String { "Debounce" }
}
