// SPDX-License-Identifier: Apache-2.0
/// Hands everything on through a scheduler, in order: receive(on:) and delay.
@usableFromInline
final class Later<Context: Scheduler, Downstream: Subscriber>: Link, Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let label: String
  @usableFromInline let scheduler: Context
  @usableFromInline let options: Context.SchedulerOptions?
  /// How long to wait, and how exactly; as soon as possible if `nil`.
  @usableFromInline let wait: (interval: Context.SchedulerTimeType.Stride, tolerance: Context.SchedulerTimeType.Stride)?
  @usableFromInline var downstream: Downstream?

  @inlinable
  init(
    _ label: String, _ scheduler: Context, _ options: Context.SchedulerOptions?,
    wait: (interval: Context.SchedulerTimeType.Stride, tolerance: Context.SchedulerTimeType.Stride)?,
    _ downstream: Downstream
  ) {
    self.label = label
    self.scheduler = scheduler
    self.options = options
    self.wait = wait
    self.downstream = downstream
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if attach(subscription) { downstream?.receive(subscription: self) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    schedule { [self] in
      guard let downstream else { return }
      let more = downstream.receive(input)
      if more > .none { upstream?.request(more) }
    }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    // Values that are on their way still arrive, so the downstream stays.
    phase = .ending
    upstream = nil
    schedule { [self] in
      guard phase == .ending, let downstream else { return }
      phase = .done
      self.downstream = nil
      downstream.receive(completion: completion)
    }
  }

  @inlinable
  func schedule(_ action: @escaping () -> Void) {
    if let wait {
      let time = scheduler.now.advanced(by: wait.interval)
      scheduler.schedule(after: time, tolerance: wait.tolerance, options: options, action)
    } else {
      scheduler.schedule(options: options, action)
    }
  }

  @usableFromInline
  override func cancel() {
    let last = detach()
    let held = downstream
    downstream = nil
    last?.cancel()
    withExtendedLifetime(held) {}
  }

  @usableFromInline
  override var description: String { label }
}
