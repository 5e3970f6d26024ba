// SPDX-License-Identifier: Apache-2.0
extension Subscribers {
  /// The number of values that a subscriber wants: a count, or unlimited.
  ///
  /// Arithmetic never traps: unlimited stays unlimited whatever is added or subtracted, a sum or product that is too
  /// large becomes unlimited, and a difference below zero becomes none.
  @frozen
  public struct Demand: Equatable, Comparable, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The count. `Int.max + 1` stands for unlimited, so that comparing counts compares demands.
    @usableFromInline let count: UInt

    @inlinable init(count: UInt) { self.count = Swift.min(count, UInt(Int.max) + 1) }

    /// No limit.
    @inlinable public static var unlimited: Demand { Demand(count: .max) }

    /// No value; the same as `max(0)`.
    @inlinable public static var none: Demand { Demand(count: 0) }

    /// At most `value` values; traps if `value` is negative.
    @inlinable
    public static func max(_ value: Int) -> Demand {
      precondition(value >= 0, "demand must not be negative")
      return Demand(count: value.magnitude)
    }

    /// The number of values, or `nil` if unlimited.
    @inlinable public var max: Int? { Int(exactly: count) }

    public var description: String { max.map { "max(\($0))" } ?? "unlimited" }

    public init(from decoder: any Decoder) throws {
      self.init(count: try decoder.singleValueContainer().decode(UInt.self))
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(count)
    }

    /// Counts one value as sent. A value sent without demand does not count.
    @inlinable
    mutating func spendOne() {
      if self != .unlimited, self != .none { self = Self(count: count &- 1) }
    }
  }
}

extension Subscribers.Demand {
  @inlinable
  public static func + (lhs: Self, rhs: Self) -> Self {
    // Counts are at most `Int.max + 1`, so the sum overflows only if both are unlimited.
    let (sum, overflow) = lhs.count.addingReportingOverflow(rhs.count)
    return overflow ? .unlimited : Self(count: sum)
  }

  @inlinable
  public static func - (lhs: Self, rhs: Self) -> Self {
    if lhs == .unlimited { return .unlimited }
    return lhs.count > rhs.count ? Self(count: lhs.count &- rhs.count) : .none
  }

  /// Multiplies a demand. Traps if `rhs` is negative.
  @inlinable
  public static func * (lhs: Self, rhs: Int) -> Self {
    precondition(rhs >= 0, "demand must not be negative")
    if lhs == .unlimited { return .unlimited }
    let (product, overflow) = lhs.count.multipliedReportingOverflow(by: rhs.magnitude)
    return overflow ? .unlimited : Self(count: product)
  }

  @inlinable
  public static func + (lhs: Self, rhs: Int) -> Self {
    // The magnitude is at most `Int.max + 1`, which is unlimited and exceeds every finite demand.
    let change = Self(count: rhs.magnitude)
    return rhs < 0 ? lhs - change : lhs + change
  }

  @inlinable
  public static func - (lhs: Self, rhs: Int) -> Self {
    let change = Self(count: rhs.magnitude)
    return rhs < 0 ? lhs + change : lhs - change
  }

  @inlinable public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }
  @inlinable public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }
  @inlinable public static func += (lhs: inout Self, rhs: Int) { lhs = lhs + rhs }
  @inlinable public static func -= (lhs: inout Self, rhs: Int) { lhs = lhs - rhs }
  @inlinable public static func *= (lhs: inout Self, rhs: Int) { lhs = lhs * rhs }
}

extension Subscribers.Demand {
  @inlinable public static func < (lhs: Self, rhs: Self) -> Bool { lhs.count < rhs.count }

  @inlinable public static func == (lhs: Self, rhs: Int) -> Bool { lhs.max == rhs }
  @inlinable public static func < (lhs: Self, rhs: Int) -> Bool { lhs.max.map { $0 < rhs } ?? false }
  @inlinable public static func > (lhs: Self, rhs: Int) -> Bool { lhs.max.map { $0 > rhs } ?? true }
  @inlinable public static func != (lhs: Self, rhs: Int) -> Bool { !(lhs == rhs) }
  @inlinable public static func <= (lhs: Self, rhs: Int) -> Bool { !(lhs > rhs) }
  @inlinable public static func >= (lhs: Self, rhs: Int) -> Bool { !(lhs < rhs) }

  @inlinable public static func == (lhs: Int, rhs: Self) -> Bool { rhs == lhs }
  @inlinable public static func < (lhs: Int, rhs: Self) -> Bool { rhs > lhs }
  @inlinable public static func > (lhs: Int, rhs: Self) -> Bool { rhs < lhs }
  @inlinable public static func != (lhs: Int, rhs: Self) -> Bool { rhs != lhs }
  @inlinable public static func <= (lhs: Int, rhs: Self) -> Bool { rhs >= lhs }
  @inlinable public static func >= (lhs: Int, rhs: Self) -> Bool { rhs <= lhs }
}
