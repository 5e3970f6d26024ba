// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes a value after a pause without newer ones.
  ///
  /// Requests everything from upstream. A value is dropped if there is no demand when it is due, or if upstream ends
  /// first.
  public struct Debounce<Upstream: Publisher, Context: Scheduler>: Operator {
    public let upstream: Upstream
    /// The length of the pause after a value.
    public let dueTime: Context.SchedulerTimeType.Stride
    public let scheduler: Context
    public let options: Context.SchedulerOptions?

    public init(
      upstream: Upstream, dueTime: Context.SchedulerTimeType.Stride, scheduler: Context,
      options: Context.SchedulerOptions?
    ) {
      self.upstream = upstream
      self.dueTime = dueTime
      self.scheduler = scheduler
      self.options = options
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      upstream.receive(subscriber: DebounceLink(dueTime, scheduler, options, subscriber))
    }
  }
}

extension Publisher {
  /// Publishes a value when no newer one has arrived for `dueTime`.
  public func debounce<S: Scheduler>(
    for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.Debounce<Self, S> {
    Publishers.Debounce(upstream: self, dueTime: dueTime, scheduler: scheduler, options: options)
  }
}

@usableFromInline
final class DebounceLink<Context: Scheduler, Value, Failure: Error>: EagerLink<Value, Value, Failure> {
  @usableFromInline let dueTime: Context.SchedulerTimeType.Stride
  @usableFromInline let alarm: Alarm<Context>
  @usableFromInline var machine = DebounceMachine<Value>()

  @inlinable
  init<S: Subscriber<Value, Failure>>(
    _ dueTime: Context.SchedulerTimeType.Stride, _ scheduler: Context, _ options: Context.SchedulerOptions?,
    _ subscriber: S
  ) {
    self.dueTime = dueTime
    alarm = Alarm(scheduler, options)
    super.init("Debounce", subscriber)
  }

  @inlinable
  override func receive(subscription: any Subscription) {
    if phase == .waiting { alarm.action = { [weak self] in self?.fire() } }
    super.receive(subscription: subscription)
  }

  @inlinable
  override func receive(_ input: Value) -> Subscribers.Demand {
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
  override func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    release()
    complete(completion) { alarm.scheduler.schedule(options: alarm.options, $0) }
  }

  @usableFromInline override func request(_ demand: Subscribers.Demand) { machine.demand += demand }

  @usableFromInline
  override func release() {
    machine.waiting = nil
    alarm.stop()
  }
}

/// Decides which value is due and whether there is demand for it.
@usableFromInline
struct DebounceMachine<Value> {
  @usableFromInline var waiting: Value?
  @usableFromInline var demand = Subscribers.Demand.none

  @inlinable init() {}

  /// Replaces the waiting value.
  @inlinable mutating func receive(_ value: Value) { waiting = .some(value) }

  /// Returns the waiting value after the pause. It is dropped if there is no demand for it.
  @inlinable
  mutating func fire() -> Value? {
    guard let value = waiting else { return nil }
    waiting = nil
    guard demand > .none else { return nil }
    demand.spendOne()
    return .some(value)
  }
}
