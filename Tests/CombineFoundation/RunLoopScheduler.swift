// SPDX-License-Identifier: Apache-2.0
import Combine
import Foundation

extension RunLoop: Scheduler {
  public typealias SchedulerTimeType = FoundationTime

  public struct SchedulerOptions {}

  public var now: FoundationTime { FoundationTime(Date()) }
  public var minimumTolerance: FoundationStride { 0 }

  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    nonisolated(unsafe) let action = action
    perform { action() }
  }

  public func schedule(
    after date: FoundationTime, tolerance: FoundationStride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    // `Timer(timeInterval:repeats:)` fires at once on Linux; a fire date is kept.
    add(Timer(fire: date.date, interval: 0, repeats: false) { _ in action() }, forMode: .default)
  }

  public func schedule(
    after date: FoundationTime, interval: FoundationStride, tolerance: FoundationStride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    let timer = Timer(fire: date.date, interval: interval.timeInterval, repeats: true) { _ in action() }
    add(timer, forMode: .default)
    return AnyCancellable { timer.invalidate() }
  }
}
