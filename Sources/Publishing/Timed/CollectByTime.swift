// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// How values are grouped by time.
  public enum TimeGroupingStrategy<Context: Scheduler> {
    /// The values within an interval.
    case byTime(Context, Context.SchedulerTimeType.Stride)
    /// The values within an interval, or a number of values if they arrive sooner.
    case byTimeOrCount(Context, Context.SchedulerTimeType.Stride, Int)
  }

  /// Publishes arrays of the values that arrived within an interval.
  ///
  /// When upstream finishes, the remaining values are sent as soon as there is demand. When upstream fails, they are
  /// dropped.
  public struct CollectByTime<Upstream: Publisher, Context: Scheduler>: Operator {
    public typealias Output = [Upstream.Output]

    public let upstream: Upstream
    public let strategy: TimeGroupingStrategy<Context>
    public let options: Context.SchedulerOptions?

    public init(upstream: Upstream, strategy: TimeGroupingStrategy<Context>, options: Context.SchedulerOptions?) {
      self.upstream = upstream
      self.strategy = strategy
      self.options = options
    }

    public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
      upstream.receive(subscriber: CollectByTimeLink(strategy, options, subscriber))
    }
  }
}

extension Publisher {
  /// Publishes arrays of the values that arrived within an interval.
  public func collect<S: Scheduler>(
    _ strategy: Publishers.TimeGroupingStrategy<S>, options: S.SchedulerOptions? = nil
  ) -> Publishers.CollectByTime<Self, S> {
    Publishers.CollectByTime(upstream: self, strategy: strategy, options: options)
  }
}

private final class CollectByTimeLink<Input, Context: Scheduler, Failure: Error>: OperatorLink<Input, [Input], Failure>
{
  private let scheduler: Context
  private let interval: Context.SchedulerTimeType.Stride
  private let options: Context.SchedulerOptions?
  private var machine: CollectByTimeMachine<Input>
  private var timer: (any Cancellable)?
  private var isFinishing = false

  init<S: Subscriber<[Input], Failure>>(
    _ strategy: Publishers.TimeGroupingStrategy<Context>, _ options: Context.SchedulerOptions?, _ subscriber: S
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
    super.init("CollectByTime", subscriber)
  }

  override func receive(subscription: any Subscription) {
    guard attach(subscription) else { return }
    timer = scheduler.schedule(
      after: scheduler.now.advanced(by: interval), interval: interval, tolerance: scheduler.minimumTolerance,
      options: options
    ) { [weak self] in self?.tick() }
    downstream.receive(subscription: self)
    if phase == .live, machine.firstDemand > .none { subscription.request(machine.firstDemand) }
  }

  override func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    if let group = machine.receive(input) { send(group) }
    return .none
  }

  override func receive(completion: Subscribers.Completion<Failure>) {
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

  /// Sends the remaining values once there is demand, then the completion.
  private func finish() {
    // The subscriber may request more while it receives.
    guard !isFinishing else { return }
    isFinishing = true
    while phase == .ending, let rest = machine.take() { machine.demand += downstream.receive(rest) }
    isFinishing = false
    guard phase == .ending, machine.group.isEmpty else { return }
    phase = .done
    downstream.receive(completion: .finished)
  }

  private func tick() {
    if phase == .live, let group = machine.take() { send(group) }
  }

  private func send(_ group: [Input]) {
    let more = downstream.receive(group)
    if more > .none { request(more) }
  }

  override func request(_ demand: Subscribers.Demand) {
    guard phase != .done else { return }
    machine.demand += demand
    guard phase == .live else { return finish() }
    while phase == .live, let group = machine.fullGroup() { machine.demand += downstream.receive(group) }
    let wanted = phase == .live ? machine.newDemand() : .none
    if wanted > .none { upstream?.request(wanted) }
  }

  override func release() {
    stopTimer()
    machine.group = []
  }

  private func stopTimer() {
    let last = timer
    timer = nil
    last?.cancel()
  }
}
