// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher that subscribes, asks and cancels through a scheduler; values come as they come.
  public struct SubscribeOn<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that is subscribed to.
    public let upstream: Upstream
    /// Where that is done.
    public let scheduler: Context
    /// What the scheduler is told.
    public let options: Context.SchedulerOptions?

    /// Subscribes to `upstream` through `scheduler`.
    public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
      self.upstream = upstream
      self.scheduler = scheduler
      self.options = options
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let link = SubscribeOnLink(scheduler, options, Outlet(subscriber))
      scheduler.schedule(options: options) { upstream.receive(subscriber: link) }
    }
  }
}

extension Publisher {
  /// Subscribes, asks and cancels through a scheduler.
  public func subscribe<S: Scheduler>(
    on scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.SubscribeOn<Self, S> {
    Publishers.SubscribeOn(upstream: self, scheduler: scheduler, options: options)
  }
}

@usableFromInline
final class SubscribeOnLink<Context: Scheduler, Downstream: Subscriber>: Link, Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let scheduler: Context
  @usableFromInline let options: Context.SchedulerOptions?
  @usableFromInline var downstream: Downstream?

  @inlinable
  init(_ scheduler: Context, _ options: Context.SchedulerOptions?, _ downstream: Downstream) {
    self.scheduler = scheduler
    self.options = options
    self.downstream = downstream
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if attach(subscription) { downstream?.receive(subscription: self) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live, let downstream else { return .none }
    return downstream.receive(input)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live, let downstream else { return }
    _ = detach()
    self.downstream = nil
    downstream.receive(completion: completion)
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    guard phase == .live else { return }
    scheduler.schedule(options: options) { [self] in upstream?.request(demand) }
  }

  @usableFromInline
  override func cancel() {
    let last = detach()
    let held = downstream
    downstream = nil
    guard let last else { return }
    scheduler.schedule(options: options) { last.cancel() }
    withExtendedLifetime(held) {}
  }

  @usableFromInline
  override var description: String { "SubscribeOn" }
}
