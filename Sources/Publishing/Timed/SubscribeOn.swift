// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Subscribes, requests and cancels through a scheduler. Values are not delayed.
  public struct SubscribeOn<Upstream: Publisher, Context: Scheduler>: Operator {
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
      let link = SubscribeOnLink(scheduler, options, subscriber)
      scheduler.schedule(options: options) { upstream.receive(subscriber: link) }
    }
  }
}

extension Publisher {
  /// Subscribes, requests and cancels through a scheduler.
  public func subscribe<S: Scheduler>(
    on scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.SubscribeOn<Self, S> {
    Publishers.SubscribeOn(upstream: self, scheduler: scheduler, options: options)
  }
}

@usableFromInline
final class SubscribeOnLink<Context: Scheduler, Value, Failure: Error>: PassingLink<Value, Failure> {
  @usableFromInline let scheduler: Context
  @usableFromInline let options: Context.SchedulerOptions?

  @inlinable
  init<S: Subscriber<Value, Failure>>(_ scheduler: Context, _ options: Context.SchedulerOptions?, _ subscriber: S) {
    self.scheduler = scheduler
    self.options = options
    super.init("SubscribeOn", subscriber)
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    guard phase == .live else { return }
    scheduler.schedule(options: options) { [self] in upstream?.request(demand) }
  }

  @usableFromInline
  override func cancel() {
    guard let last = detach() else { return }
    scheduler.schedule(options: options) { last.cancel() }
  }
}
