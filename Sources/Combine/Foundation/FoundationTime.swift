// SPDX-License-Identifier: Apache-2.0
import Foundation
import Publishing

/// A span of time in seconds, as the schedulers of Foundation and Dispatch count it. Literals are seconds.
public struct FoundationStride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
  Hashable, Sendable
{
  /// The seconds.
  public var timeInterval: TimeInterval

  /// Creates a span of some seconds.
  public init(_ timeInterval: TimeInterval) { self.timeInterval = timeInterval }
  public init(integerLiteral seconds: Int) { timeInterval = TimeInterval(seconds) }
  public init(floatLiteral seconds: TimeInterval) { timeInterval = seconds }
  public init?<Source: BinaryInteger>(exactly source: Source) {
    guard let seconds = TimeInterval(exactly: source) else { return nil }
    timeInterval = seconds
  }

  public var magnitude: TimeInterval { timeInterval.magnitude }

  public static func seconds(_ seconds: Int) -> Self { Self(TimeInterval(seconds)) }
  public static func seconds(_ seconds: Double) -> Self { Self(seconds) }
  public static func milliseconds(_ milliseconds: Int) -> Self { Self(TimeInterval(milliseconds) / 1e3) }
  public static func microseconds(_ microseconds: Int) -> Self { Self(TimeInterval(microseconds) / 1e6) }
  public static func nanoseconds(_ nanoseconds: Int) -> Self { Self(TimeInterval(nanoseconds) / 1e9) }

  public static func < (left: Self, right: Self) -> Bool { left.timeInterval < right.timeInterval }
  public static func + (left: Self, right: Self) -> Self { Self(left.timeInterval + right.timeInterval) }
  public static func - (left: Self, right: Self) -> Self { Self(left.timeInterval - right.timeInterval) }
  public static func * (left: Self, right: Self) -> Self { Self(left.timeInterval * right.timeInterval) }
  public static func *= (left: inout Self, right: Self) { left = left * right }
}

/// A moment as the schedulers of `RunLoop` and `OperationQueue` count it.
public struct FoundationTime: Strideable, Hashable, Sendable {
  /// The moment on the wall clock.
  public var date: Date

  /// Creates the time of a date.
  public init(_ date: Date) { self.date = date }
  public func distance(to other: Self) -> FoundationStride { FoundationStride(other.date.timeIntervalSince(date)) }
  public func advanced(by stride: FoundationStride) -> Self { Self(date.addingTimeInterval(stride.timeInterval)) }
}
