// SPDX-License-Identifier: Apache-2.0
import Publishing

/// A scheduler whose time moves when it is told to.
final class VirtualScheduler: Scheduler {
  struct Time: Strideable {
    struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByIntegerLiteral {
      var magnitude: Int

      init(_ value: Int) { magnitude = value }
      init(integerLiteral value: Int) { magnitude = value }
      init?<T: BinaryInteger>(exactly source: T) { magnitude = Int(source) }

      static func < (lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }
      static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude + rhs.magnitude) }
      static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude - rhs.magnitude) }
      static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude * rhs.magnitude) }
      static func *= (lhs: inout Self, rhs: Self) { lhs.magnitude *= rhs.magnitude }
      static func seconds(_ s: Int) -> Self { Self(s * 1_000_000) }
      static func seconds(_ s: Double) -> Self { Self(Int(s * 1_000_000)) }
      static func milliseconds(_ ms: Int) -> Self { Self(ms * 1000) }
      static func microseconds(_ us: Int) -> Self { Self(us) }
      static func nanoseconds(_ ns: Int) -> Self { Self(ns / 1000) }
    }

    var ticks: Int
    func distance(to other: Time) -> Stride { Stride(other.ticks - ticks) }
    func advanced(by n: Stride) -> Time { Time(ticks: ticks + n.magnitude) }
  }

  private(set) var now = Time(ticks: 0)
  var minimumTolerance: Time.Stride { 0 }
  private var waiting: [(time: Time, action: () -> Void)] = []

  func schedule(options: Never?, _ action: @escaping () -> Void) { action() }

  func schedule(after date: Time, tolerance: Time.Stride, options: Never?, _ action: @escaping () -> Void) {
    waiting.append((date, action))
  }

  func schedule(
    after date: Time, interval: Time.Stride, tolerance: Time.Stride, options: Never?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    preconditionFailure("no benchmark repeats anything")
  }

  /// Moves time on, and runs what is due by then.
  func advance(by stride: Time.Stride) {
    now = now.advanced(by: stride)
    while let index = waiting.firstIndex(where: { $0.time <= now }) { waiting.remove(at: index).action() }
  }
}
