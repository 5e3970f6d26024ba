// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Publishing

/// Runs work on the queue. The queue must be served: `DispatchQueue.main` by an `async` main function, `dispatchMain()`,
/// `RunLoop.main.run()`, or `serveTasks()` of `MainLoopTasks`.
extension DispatchQueue: Scheduler {
  /// A point in time of Dispatch's clock.
  public struct SchedulerTimeType: Strideable, Hashable, Sendable {
    /// The time in Dispatch's own type.
    public var dispatchTime: DispatchTime

    /// Creates the point in time.
    public init(_ time: DispatchTime) { dispatchTime = time }

    public func distance(to other: Self) -> FoundationStride {
      .nanoseconds(
        Int(clamping: other.dispatchTime.uptimeNanoseconds) - Int(clamping: dispatchTime.uptimeNanoseconds))
    }

    public func advanced(by stride: FoundationStride) -> Self { Self(dispatchTime + stride.timeInterval) }

    public func hash(into hasher: inout Hasher) { hasher.combine(dispatchTime.rawValue) }
  }

  /// How a piece of work is submitted.
  public struct SchedulerOptions {
    /// The quality of service of the work.
    public var qos: DispatchQoS
    /// The flags of the work.
    public var flags: DispatchWorkItemFlags
    /// The group that the work belongs to.
    public var group: DispatchGroup?

    /// Creates options; without arguments they are those of `async(execute:)`.
    public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], group: DispatchGroup? = nil) {
      (self.qos, self.flags, self.group) = (qos, flags, group)
    }
  }

  public var now: SchedulerTimeType { SchedulerTimeType(.now()) }
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    nonisolated(unsafe) let action = action
    let options = options ?? SchedulerOptions()
    async(group: options.group, qos: options.qos, flags: options.flags) { action() }
  }

  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    nonisolated(unsafe) let action = action
    let options = options ?? SchedulerOptions()
    asyncAfter(deadline: date.dispatchTime, qos: options.qos, flags: options.flags) { action() }
  }

  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    nonisolated(unsafe) let action = action
    let timer = DispatchSource.makeTimerSource(queue: self)
    let leeway = DispatchTimeInterval.microseconds(Int(Self.allowed(tolerance, from: 0) * 1e6))
    // The smallest interval is that of Foundation's timers.
    timer.schedule(deadline: date.dispatchTime, repeating: Self.allowed(interval, from: 0.0001), leeway: leeway)
    timer.setEventHandler { action() }
    timer.resume()
    return AnyCancellable { timer.cancel() }
  }

  /// Returns the seconds that a timer of Dispatch accepts: it aborts for others.
  static func allowed(_ stride: FoundationStride, from least: Double) -> Double {
    min(max(least, stride.timeInterval), 1e9)
  }
}
