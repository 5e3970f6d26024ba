// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// How values are grouped by time.
  public enum TimeGroupingStrategy<Context: Scheduler> {
    /// A group is what comes within an interval.
    case byTime(Context, Context.SchedulerTimeType.Stride)
    /// A group is what comes within an interval, or so many values if they come sooner.
    case byTimeOrCount(Context, Context.SchedulerTimeType.Stride, Int)
  }

  /// A publisher of groups of values, by the time they came at.
  ///
  /// What remains when upstream finishes goes down as the last group, once it is asked for; on a failure it is dropped.
  public struct CollectByTime<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// What it publishes.
    public typealias Output = [Upstream.Output]
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are grouped.
    public let upstream: Upstream
    /// How they are grouped.
    public let strategy: TimeGroupingStrategy<Context>
    /// What the scheduler is told.
    public let options: Context.SchedulerOptions?

    /// Groups the values of `upstream`.
    public init(upstream: Upstream, strategy: TimeGroupingStrategy<Context>, options: Context.SchedulerOptions?) {
      self.upstream = upstream
      self.strategy = strategy
      self.options = options
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: CollectByTimeLink<Upstream.Output, _, _>(strategy, options, subscriber))
    }
  }
}

extension Publisher {
  /// Publishes groups of values, by the time they came at.
  public func collect<S: Scheduler>(
    _ strategy: Publishers.TimeGroupingStrategy<S>, options: S.SchedulerOptions? = nil
  ) -> Publishers.CollectByTime<Self, S> {
    Publishers.CollectByTime(upstream: self, strategy: strategy, options: options)
  }
}

private final class CollectByTimeLink<Input, Context: Scheduler, Downstream: Subscriber>: Link, Subscriber
where Downstream.Input == [Input] {
  typealias Failure = Downstream.Failure

  private let scheduler: Context
  private let interval: Context.SchedulerTimeType.Stride
  private let options: Context.SchedulerOptions?
  private let downstream: Downstream
  private var machine: CollectByTimeMachine<Input>
  private var timer: (any Cancellable)?

  init(
    _ strategy: Publishers.TimeGroupingStrategy<Context>, _ options: Context.SchedulerOptions?, _ downstream: Downstream
  ) {
    switch strategy {
    case .byTime(let scheduler, let interval):
      self.scheduler = scheduler
      self.interval = interval
      machine = CollectByTimeMachine(count: nil)
    case .byTimeOrCount(let scheduler, let interval, let count):
      self.scheduler = scheduler
      self.interval = interval
      machine = CollectByTimeMachine(count: count)
    }
    self.options = options
    self.downstream = downstream
  }

  func receive(subscription: any Subscription) {
    guard attach(subscription) else { return }
    timer = scheduler.schedule(
      after: scheduler.now.advanced(by: interval), interval: interval, tolerance: scheduler.minimumTolerance,
      options: options
    ) { [weak self] in self?.tick() }
    downstream.receive(subscription: self)
    if phase == .live, machine.firstDemand > .none { subscription.request(machine.firstDemand) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    if let group = machine.receive(input) { send(group) }
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    stopTimer()
    switch completion {
    case .finished:
      phase = .ending
      upstream = nil
      finish()
    case .failure:
      _ = detach()
      machine.group = []
      downstream.receive(completion: completion)
    }
  }

  /// Sends what remains and the end, as soon as what remains is wanted.
  private func finish() {
    if let rest = machine.tick() { machine.demand += downstream.receive(rest) }
    guard phase == .ending, machine.group.isEmpty else { return }
    phase = .done
    downstream.receive(completion: .finished)
  }

  private func tick() {
    if phase == .live, let group = machine.tick() { send(group) }
  }

  private func send(_ group: [Input]) {
    let more = downstream.receive(group)
    if more > .none { request(more) }
  }

  override func request(_ demand: Subscribers.Demand) {
    guard phase != .done, demand > .none else { return }
    machine.demand += demand
    guard phase == .live else { return finish() }
    var groups = demand
    while phase == .live, let group = machine.fullGroup() {
      let more = downstream.receive(group)
      machine.demand += more
      groups += more
    }
    let wanted = machine.demand(for: groups)
    if phase == .live, wanted > .none { upstream?.request(wanted) }
  }

  override func cancel() {
    let last = detach()
    stopTimer()
    machine.group = []
    last?.cancel()
  }

  private func stopTimer() {
    let last = timer
    timer = nil
    last?.cancel()
  }

  override var description: String { "CollectByTime" }
}
