// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Publishing

/// Runs work on the queue.
extension OperationQueue: Scheduler {
  /// Serial, so that work that is due at about the same time keeps its order.
  private static let timers = DispatchQueue(label: "Combine.OperationQueue")

  public typealias SchedulerTimeType = FoundationTime

  /// There are no options.
  public struct SchedulerOptions {}

  public var now: FoundationTime { FoundationTime(Date()) }
  public var minimumTolerance: FoundationStride { 0 }

  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    nonisolated(unsafe) let action = action
    addOperation { action() }
  }

  public func schedule(
    after date: FoundationTime, tolerance: FoundationStride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    nonisolated(unsafe) let action = action
    let delay = max(0, date.date.timeIntervalSinceNow)
    Self.timers.asyncAfter(deadline: .now() + delay) { self.addOperation { action() } }
  }

  public func schedule(
    after date: FoundationTime, interval: FoundationStride, tolerance: FoundationStride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    nonisolated(unsafe) let action = action
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(
      deadline: .now() + max(0, date.date.timeIntervalSinceNow),
      repeating: DispatchQueue.allowed(interval, from: 0.0001))
    timer.setEventHandler { self.addOperation { action() } }
    timer.resume()
    return AnyCancellable { timer.cancel() }
  }
}
