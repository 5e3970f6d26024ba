// SPDX-License-Identifier: Apache-2.0
/// A scheduler that runs everything immediately. Its clock stands still.
public struct ImmediateScheduler: Scheduler, Sendable {
  /// The only point in time of this scheduler.
  public struct SchedulerTimeType: Strideable, Sendable {
    /// A time span without meaning, since this scheduler's clock stands still.
    public struct Stride: ExpressibleByFloatLiteral, Comparable, SignedNumeric, Codable, Sendable,
      SchedulerTimeIntervalConvertible
    {
      public typealias FloatLiteralType = Double
      public typealias IntegerLiteralType = Int
      public typealias Magnitude = Int

      public var magnitude: Int

      /// Creates a stride from a number. The number has no unit.
      public init(_ value: Int) { magnitude = value }
      public init(integerLiteral value: Int) { self.init(value) }
      public init(floatLiteral value: Double) { self.init(Int(value)) }

      public init?<T: BinaryInteger>(exactly source: T) {
        guard let value = Int(exactly: source) else { return nil }
        self.init(value)
      }

      @inlinable public static func < (lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }
      @inlinable public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude + rhs.magnitude) }
      @inlinable public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude - rhs.magnitude) }
      @inlinable public static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude * rhs.magnitude) }
      @inlinable public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }

      @inlinable public static func seconds(_ s: Int) -> Self { 0 }
      @inlinable public static func seconds(_ s: Double) -> Self { 0 }
      @inlinable public static func milliseconds(_ ms: Int) -> Self { 0 }
      @inlinable public static func microseconds(_ us: Int) -> Self { 0 }
      @inlinable public static func nanoseconds(_ ns: Int) -> Self { 0 }
    }

    @inlinable public func distance(to other: Self) -> Stride { 0 }
    @inlinable public func advanced(by n: Stride) -> Self { self }

    @usableFromInline init() {}
  }

  public typealias SchedulerOptions = Never

  /// The shared scheduler. All instances are equivalent.
  public static let shared = ImmediateScheduler()

  private init() {}

  public var now: SchedulerTimeType { SchedulerTimeType() }
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  @inlinable
  public func schedule(options: Never?, _ action: @escaping () -> Void) { action() }

  @inlinable
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?, _ action: @escaping () -> Void
  ) {
    action()
  }

  /// Runs the action once, before the call returns.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: Never?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    action()
    return Subscriptions.empty
  }
}
