// SPDX-License-Identifier: Apache-2.0
import Publishing

/// A point in time on the clock of a ``TestScheduler``: whole nanoseconds since the scheduler was created.
public struct VirtualTime: Strideable, Hashable, Sendable {
  /// Nanoseconds since the scheduler was created.
  public var nanoseconds: Int

  /// Creates a point in time.
  public init(nanoseconds: Int = 0) { self.nanoseconds = nanoseconds }

  /// Returns the time `seconds` after the start, rounded to a nanosecond.
  public static func seconds(_ seconds: Double) -> VirtualTime { VirtualTime().advanced(by: .seconds(seconds)) }

  public func distance(to other: VirtualTime) -> Stride { Stride(nanoseconds: other.nanoseconds - nanoseconds) }

  public func advanced(by stride: Stride) -> VirtualTime { VirtualTime(nanoseconds: nanoseconds + stride.nanoseconds) }

  public static func < (left: VirtualTime, right: VirtualTime) -> Bool { left.nanoseconds < right.nanoseconds }

  public static func == (left: VirtualTime, right: VirtualTime) -> Bool { left.nanoseconds == right.nanoseconds }

  /// A span of virtual time. Literals are seconds, as in Combine's own schedulers.
  public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
    Hashable, Sendable
  {
    /// The length in nanoseconds.
    public var nanoseconds: Int

    /// Creates a span.
    public init(nanoseconds: Int) { self.nanoseconds = nanoseconds }

    public init(integerLiteral seconds: Int) { self = .seconds(seconds) }

    public init(floatLiteral seconds: Double) { self = .seconds(seconds) }

    public init?<Source: BinaryInteger>(exactly source: Source) {
      guard let seconds = Int(exactly: source) else { return nil }
      self = .seconds(seconds)
    }

    public static func seconds(_ seconds: Int) -> Stride { Stride(nanoseconds: seconds * 1_000_000_000) }
    public static func seconds(_ seconds: Double) -> Stride {
      Stride(nanoseconds: Int((seconds * 1_000_000_000).rounded()))
    }
    public static func milliseconds(_ milliseconds: Int) -> Stride { Stride(nanoseconds: milliseconds * 1_000_000) }
    public static func microseconds(_ microseconds: Int) -> Stride { Stride(nanoseconds: microseconds * 1_000) }
    public static func nanoseconds(_ nanoseconds: Int) -> Stride { Stride(nanoseconds: nanoseconds) }

    public var magnitude: Int { abs(nanoseconds) }

    public static func < (left: Stride, right: Stride) -> Bool { left.nanoseconds < right.nanoseconds }
    public static func + (left: Stride, right: Stride) -> Stride {
      Stride(nanoseconds: left.nanoseconds + right.nanoseconds)
    }
    public static func - (left: Stride, right: Stride) -> Stride {
      Stride(nanoseconds: left.nanoseconds - right.nanoseconds)
    }
    public static func * (left: Stride, right: Stride) -> Stride {
      Stride(nanoseconds: Int((Double(left.nanoseconds) * Double(right.nanoseconds) / 1_000_000_000).rounded()))
    }
    public static func *= (left: inout Stride, right: Stride) { left = left * right }
  }
}

extension VirtualTime: CustomStringConvertible {
  public var description: String { "\(Double(nanoseconds) / 1_000_000_000)s" }
}

extension VirtualTime.Stride: CustomStringConvertible {
  public var description: String { "\(Double(nanoseconds) / 1_000_000_000)s" }
}
