// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of the scheduler's time, again and again, from its connection on.
  ///
  /// A tick for which a subscriber has not asked passes it by.
  public final class TimerPublisher<Context: Scheduler>: ConnectablePublisher {
    /// What it publishes.
    public typealias Output = Context.SchedulerTimeType
    /// It cannot fail.
    public typealias Failure = Never

    /// The time between two ticks.
    public final let interval: Context.SchedulerTimeType.Stride
    /// How late a tick may be.
    public final let tolerance: Context.SchedulerTimeType.Stride
    /// Where time is measured and ticks are delivered.
    public final let scheduler: Context
    /// What the scheduler is told.
    public final let options: Context.SchedulerOptions?

    fileprivate var conduits = Conduits<Output, Never>()
    private var timer: (any Cancellable)?

    /// Ticks every `interval`, once connected; the first time after one interval.
    public init(
      interval: Context.SchedulerTimeType.Stride, tolerance: Context.SchedulerTimeType.Stride? = nil,
      scheduler: Context, options: Context.SchedulerOptions? = nil
    ) {
      self.interval = interval
      self.tolerance = tolerance ?? scheduler.minimumTolerance
      self.scheduler = scheduler
      self.options = options
    }

    /// Attaches a subscriber.
    public final func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
      let conduit = TimerConduit(self, { subscriber.receive($0) }, { subscriber.receive(completion: $0) })
      conduits.add(conduit)
      subscriber.receive(subscription: conduit)
    }

    /// Starts the timer, unless it runs already; what is returned stops it.
    public final func connect() -> any Cancellable {
      if timer == nil {
        timer = scheduler.schedule(
          after: scheduler.now.advanced(by: interval), interval: interval, tolerance: tolerance, options: options
        ) { [self] in tick() }
      }
      return AnyCancellable { [self] in stop() }
    }

    private func tick() {
      let now = scheduler.now
      for conduit in conduits.list { conduit.offer(now) }
    }

    private func stop() {
      let last = timer
      timer = nil
      last?.cancel()
    }
  }
}

extension Scheduler {
  /// A publisher of this scheduler's time, every `interval` from its connection on; mostly used with `autoconnect()`.
  public func timerPublisher(
    every interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride? = nil,
    options: SchedulerOptions? = nil
  ) -> Publishers.TimerPublisher<Self> {
    Publishers.TimerPublisher(interval: interval, tolerance: tolerance, scheduler: self, options: options)
  }
}

private final class TimerConduit<Context: Scheduler>: Conduit<Context.SchedulerTimeType, Never> {
  private var publisher: Publishers.TimerPublisher<Context>?

  init(
    _ publisher: Publishers.TimerPublisher<Context>, _ deliver: @escaping Deliver, _ conclude: @escaping Conclude
  ) {
    self.publisher = publisher
    super.init(deliver, conclude)
  }

  override func leave() {
    let publisher = self.publisher
    self.publisher = nil
    publisher?.conduits.remove(self)
  }

  override var description: String { "Timer" }
}
