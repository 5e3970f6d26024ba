// SPDX-License-Identifier: Apache-2.0
import Publishing

/// A scheduler whose clock stands still until a test moves it.
///
/// Scheduled actions run inside `advance` and `run`, in the order of their due times, and in the order of scheduling where
/// these are equal.
public final class TestScheduler: Scheduler {
  public typealias SchedulerTimeType = VirtualTime
  public typealias SchedulerOptions = Never

  /// The time of the scheduler's clock.
  public private(set) var now = VirtualTime()
  private var actions = ScheduledActions()

  /// Creates a scheduler at time zero.
  public init() {}

  public var minimumTolerance: VirtualTime.Stride { 0 }

  /// The number of waiting actions. A repeating one counts as one.
  public var pendingActions: Int { actions.pending }

  public func schedule(options: Never?, _ action: @escaping () -> Void) { _ = actions.insert(due: now, action: action) }

  public func schedule(
    after date: VirtualTime, tolerance: VirtualTime.Stride, options: Never?, _ action: @escaping () -> Void
  ) {
    _ = actions.insert(due: date, action: action)
  }

  public func schedule(
    after date: VirtualTime, interval: VirtualTime.Stride, tolerance: VirtualTime.Stride, options: Never?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    // As short as on real schedulers. With zero, time would never pass.
    let repetition = Repetition(interval: max(interval, .microseconds(100)), action: action)
    arm(repetition, at: date)
    return AnyCancellable { repetition.cancel() }
  }

  /// Moves the clock forward and runs the actions that become due on the way, each at its own time.
  public func advance(by stride: VirtualTime.Stride = 0) { advance(to: now.advanced(by: stride)) }

  /// Moves the clock forward to a time and runs the actions that become due on the way.
  public func advance(to date: VirtualTime) {
    while let item = actions.popFirst(dueBy: date) {
      run(item)
    }
    now = max(now, date)
  }

  /// Runs until no action waits. Repeating actions must be cancelled beforehand: more than `limit` actions trap.
  public func run(limit: Int = 100_000) {
    var count = 0
    while let item = actions.popFirst(dueBy: nil) {
      count += 1
      precondition(count <= limit, "more than \(limit) actions: does something repeat for ever?")
      run(item)
    }
  }

  private func run(_ item: ScheduledActions.Item) {
    now = max(now, item.due)
    let action = item.action
    item.action = nil
    action?()
  }

  private func arm(_ repetition: Repetition, at date: VirtualTime) {
    repetition.item = actions.insert(due: date) { [unowned self] in
      arm(repetition, at: date.advanced(by: repetition.interval))
      repetition.action?()
    }
  }

  private final class Repetition {
    let interval: VirtualTime.Stride
    var action: (() -> Void)?
    var item: ScheduledActions.Item?

    init(interval: VirtualTime.Stride, action: @escaping () -> Void) {
      self.interval = interval
      self.action = action
    }

    func cancel() {
      item?.action = nil
      item = nil
      action = nil
    }
  }
}
