import Combine
// SPDX-License-Identifier: Apache-2.0
import Dispatch

extension DispatchQueue: Scheduler {
  public struct SchedulerTimeType: Strideable, Hashable, Sendable {
    public var dispatchTime: DispatchTime

    public init(_ time: DispatchTime) { dispatchTime = time }

    public func distance(to other: Self) -> Stride {
      Stride(nanoseconds: Int(other.dispatchTime.uptimeNanoseconds) - Int(dispatchTime.uptimeNanoseconds))
    }

    public func advanced(by stride: Stride) -> Self { Self(dispatchTime + .nanoseconds(stride.nanoseconds)) }

    public func hash(into hasher: inout Hasher) { hasher.combine(dispatchTime.rawValue) }

    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
      Hashable, Sendable
    {
      public var nanoseconds: Int

      public init(nanoseconds: Int) { self.nanoseconds = nanoseconds }
      public init(integerLiteral seconds: Int) { self = .seconds(seconds) }
      public init(floatLiteral seconds: Double) { self = .seconds(seconds) }
      public init?<Source: BinaryInteger>(exactly source: Source) {
        guard let seconds = Int(exactly: source) else { return nil }
        self = .seconds(seconds)
      }

      public var magnitude: Int { abs(nanoseconds) }
      public var timeInterval: DispatchTimeInterval { .nanoseconds(nanoseconds) }

      public static func seconds(_ seconds: Int) -> Self { Self(nanoseconds: seconds * 1_000_000_000) }
      public static func seconds(_ seconds: Double) -> Self { Self(nanoseconds: Int(seconds * 1e9)) }
      public static func milliseconds(_ milliseconds: Int) -> Self { Self(nanoseconds: milliseconds * 1_000_000) }
      public static func microseconds(_ microseconds: Int) -> Self { Self(nanoseconds: microseconds * 1_000) }
      public static func nanoseconds(_ nanoseconds: Int) -> Self { Self(nanoseconds: nanoseconds) }

      public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
      public static func + (left: Self, right: Self) -> Self { Self(nanoseconds: left.nanoseconds + right.nanoseconds) }
      public static func - (left: Self, right: Self) -> Self { Self(nanoseconds: left.nanoseconds - right.nanoseconds) }
      public static func * (left: Self, right: Self) -> Self {
        .seconds(Double(left.nanoseconds) / 1e9 * Double(right.nanoseconds) / 1e9)
      }
      public static func += (left: inout Self, right: Self) { left = left + right }
      public static func -= (left: inout Self, right: Self) { left = left - right }
      public static func *= (left: inout Self, right: Self) { left = left * right }
    }
  }

  public struct SchedulerOptions {}

  public var now: SchedulerTimeType { SchedulerTimeType(.now()) }
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    nonisolated(unsafe) let action = action
    async { action() }
  }

  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    nonisolated(unsafe) let action = action
    asyncAfter(deadline: date.dispatchTime) { action() }
  }

  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    let timer = DispatchSource.makeTimerSource(queue: self)
    timer.schedule(deadline: date.dispatchTime, repeating: interval.timeInterval)
    timer.setEventHandler(handler: action)
    timer.resume()
    return AnyCancellable { timer.cancel() }
  }
}
