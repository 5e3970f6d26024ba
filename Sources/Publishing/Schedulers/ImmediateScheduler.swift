// SPDX-License-Identifier: Apache-2.0
/// A scheduler that runs everything at once, whatever time it is asked for. Its clock stands still.
public struct ImmediateScheduler: Scheduler, Sendable {
  /// The one point in time that this scheduler knows.
  public struct SchedulerTimeType: Strideable, Sendable {
    /// A span of no meaning.
    public struct Stride: ExpressibleByFloatLiteral, Comparable, SignedNumeric, Codable, Sendable,
      SchedulerTimeIntervalConvertible
    {
      /// What a literal with a point is read as.
      public typealias FloatLiteralType = Double
      /// What a literal is read as.
      public typealias IntegerLiteralType = Int
      /// The number behind it.
      public typealias Magnitude = Int

      /// The span, without a unit.
      public var magnitude: Int

      /// A span, without a unit.
      @inlinable
      public init(_ value: Int) { magnitude = value }

      /// A span from a literal.
      @inlinable
      public init(integerLiteral value: Int) { self.init(value) }

      /// A span from a literal.
      @inlinable
      public init(floatLiteral value: Double) { self.init(Int(value)) }

      /// A span of that number, if it fits.
      @inlinable
      public init?<T: BinaryInteger>(exactly source: T) {
        guard let value = Int(exactly: source) else { return nil }
        self.init(value)
      }

      /// Whether the first is shorter.
      @inlinable
      public static func < (lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }
      /// The sum.
      @inlinable
      public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude + rhs.magnitude) }
      /// The difference.
      @inlinable
      public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude - rhs.magnitude) }
      /// The product.
      @inlinable
      public static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude * rhs.magnitude) }
      /// Adds.
      @inlinable
      public static func += (lhs: inout Self, rhs: Self) { lhs.magnitude += rhs.magnitude }
      /// Subtracts.
      @inlinable
      public static func -= (lhs: inout Self, rhs: Self) { lhs.magnitude -= rhs.magnitude }
      /// Multiplies.
      @inlinable
      public static func *= (lhs: inout Self, rhs: Self) { lhs.magnitude *= rhs.magnitude }

      /// No time at all.
      @inlinable
      public static func seconds(_ s: Int) -> Self { Self(0) }
      /// No time at all.
      @inlinable
      public static func seconds(_ s: Double) -> Self { Self(0) }
      /// No time at all.
      @inlinable
      public static func milliseconds(_ ms: Int) -> Self { Self(0) }
      /// No time at all.
      @inlinable
      public static func microseconds(_ us: Int) -> Self { Self(0) }
      /// No time at all.
      @inlinable
      public static func nanoseconds(_ ns: Int) -> Self { Self(0) }
    }

    /// No time at all.
    @inlinable
    public func distance(to other: Self) -> Stride { Stride(0) }
    /// The same point in time.
    @inlinable
    public func advanced(by n: Stride) -> Self { self }

    @usableFromInline
    init() {}
  }

  /// There are no options.
  public typealias SchedulerOptions = Never

  /// The scheduler; all are alike.
  public static let shared = ImmediateScheduler()

  private init() {}

  /// The one point in time there is.
  public var now: SchedulerTimeType { SchedulerTimeType() }
  /// No time at all.
  public var minimumTolerance: SchedulerTimeType.Stride { SchedulerTimeType.Stride(0) }

  /// Runs the action before it returns.
  @inlinable
  public func schedule(options: Never?, _ action: @escaping () -> Void) { action() }

  /// Runs the action before it returns.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?, _ action: @escaping () -> Void
  ) {
    action()
  }

  /// Runs the action once, before it returns.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: Never?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    action()
    return Subscriptions.empty
  }
}
