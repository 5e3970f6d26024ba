// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes one value per interval.
  ///
  /// The first value is sent immediately. At the end of each following interval its newest value is sent, or its oldest
  /// if `latest` is false, as in Combine since iOS 13.3. Requests everything from upstream.
  public struct Throttle<Upstream: Publisher, Context: Scheduler>: Operator {
    public let upstream: Upstream
    /// The minimum time between two values.
    public let interval: Context.SchedulerTimeType.Stride
    public let scheduler: Context
    /// Whether to publish the newest value of an interval rather than the oldest.
    public let latest: Bool

    public init(upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context, latest: Bool) {
      self.upstream = upstream
      self.interval = interval
      self.scheduler = scheduler
      self.latest = latest
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      upstream.receive(subscriber: ThrottleLink(interval, scheduler, latest, subscriber))
    }
  }
}

extension Publisher {
  /// Publishes the newest or the oldest value of each interval.
  public func throttle<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
  ) -> Publishers.Throttle<Self, S> {
    Publishers.Throttle(upstream: self, interval: interval, scheduler: scheduler, latest: latest)
  }
}

@usableFromInline
final class ThrottleLink<Context: Scheduler, Value, Failure: Error>: EagerLink<Value, Value, Failure> {
  @usableFromInline typealias Machine = ThrottleMachine<Context.SchedulerTimeType, Value, Failure>

  @usableFromInline let scheduler: Context
  @usableFromInline var machine: Machine

  @inlinable
  init<S: Subscriber<Value, Failure>>(
    _ interval: Context.SchedulerTimeType.Stride, _ scheduler: Context, _ latest: Bool, _ subscriber: S
  ) {
    self.scheduler = scheduler
    machine = Machine(interval: interval, latest: latest)
    super.init("Throttle", subscriber)
  }

  @inlinable
  override func receive(_ input: Value) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    let now = scheduler.now
    if let order = machine.receive(input, at: now) { schedule(order) }
    return .none
  }

  @inlinable
  override func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    phase = .ending
    upstream = nil
    if let order = machine.end(completion) { schedule(order) }
  }

  @inlinable
  func schedule(_ order: Machine.Order) {
    switch order {
    case .soon:
      scheduler.schedule { [self] in fire() }
    case .at(let time):
      scheduler.schedule(after: time, tolerance: scheduler.minimumTolerance) { [self] in fire() }
    }
  }

  @inlinable
  func fire() {
    guard phase == .live || phase == .ending else { return }
    let now = scheduler.now
    if let value = machine.fire(at: now) {
      let more = downstream.receive(value)
      machine.demand += more
    }
    guard phase == .ending, let outcome = machine.outcome else { return }
    phase = .done
    downstream.receive(completion: outcome)
  }

  @usableFromInline override func request(_ demand: Subscribers.Demand) { machine.demand += demand }

  @usableFromInline override func release() { machine.waiting = nil }
}
