// SPDX-License-Identifier: Apache-2.0
extension Subscribers {
  /// How many values a subscriber wants: a number, or all there are.
  ///
  /// Demand only ever grows by requests. Once it is unlimited it stays so.
  @frozen
  public struct Demand: Equatable, Comparable, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The number; `Int.max + 1` stands for unlimited, so that the order of demands is the order of these.
    @usableFromInline let count: UInt

    @inlinable
    init(count: UInt) { self.count = count }

    /// All values there are.
    @inlinable
    public static var unlimited: Demand { Demand(count: UInt(Int.max) + 1) }

    /// No value. The same as `max(0)`.
    @inlinable
    public static var none: Demand { Demand(count: 0) }

    /// So many values; `value` must not be negative.
    @inlinable
    public static func max(_ value: Int) -> Demand {
      precondition(value >= 0, "demand must not be negative")
      return Demand(count: UInt(bitPattern: value))
    }

    /// The number of values asked for, or `nil` if unlimited.
    @inlinable
    public var max: Int? { self == .unlimited ? nil : Int(bitPattern: count) }

    /// What `print()` shows.
    public var description: String { max.map { "max(\($0))" } ?? "unlimited" }

    /// Reads what `encode(to:)` has written.
    public init(from decoder: any Decoder) throws {
      let count = try decoder.singleValueContainer().decode(UInt.self)
      self.init(count: Swift.min(count, Demand.unlimited.count))
    }

    /// Writes it so that it can be read back.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(count)
    }
  }
}

// MARK: Arithmetic. Unlimited absorbs everything; what grows too large becomes unlimited.

extension Subscribers.Demand {
  /// The sum; unlimited if either is.
  @inlinable
  public static func + (lhs: Self, rhs: Self) -> Self {
    if lhs == .unlimited || rhs == .unlimited { return .unlimited }
    return Self(count: Swift.min(lhs.count &+ rhs.count, unlimited.count))
  }

  /// Adds to a demand.
  @inlinable
  public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }

  /// The sum; the result must not be negative.
  @inlinable
  public static func + (lhs: Self, rhs: Int) -> Self { rhs < 0 ? lhs - (0 - rhs) : lhs + .max(rhs) }

  /// Adds to a demand.
  @inlinable
  public static func += (lhs: inout Self, rhs: Int) { lhs = lhs + rhs }

  /// The product; `rhs` must not be negative.
  @inlinable
  public static func * (lhs: Self, rhs: Int) -> Self {
    precondition(rhs >= 0, "demand must not be negative")
    if lhs == .unlimited { return .unlimited }
    let (product, overflow) = lhs.count.multipliedReportingOverflow(by: UInt(bitPattern: rhs))
    return overflow ? .unlimited : Self(count: Swift.min(product, unlimited.count))
  }

  /// Multiplies a demand.
  @inlinable
  public static func *= (lhs: inout Self, rhs: Int) { lhs = lhs * rhs }

  /// The difference: unlimited minus anything stays unlimited, a number minus unlimited is none. The result must not
  /// be negative.
  @inlinable
  public static func - (lhs: Self, rhs: Self) -> Self {
    if lhs == .unlimited { return .unlimited }
    if rhs == .unlimited { return .none }
    precondition(lhs.count >= rhs.count, "demand must not be negative")
    return Self(count: lhs.count &- rhs.count)
  }

  /// Takes from a demand.
  @inlinable
  public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }

  /// The difference; the result must not be negative.
  @inlinable
  public static func - (lhs: Self, rhs: Int) -> Self { rhs < 0 ? lhs + (0 - rhs) : lhs - .max(rhs) }

  /// Takes from a demand.
  @inlinable
  public static func -= (lhs: inout Self, rhs: Int) { lhs = lhs - rhs }
}

// MARK: Comparison

extension Subscribers.Demand {
  /// Whether the first asks for less.
  @inlinable
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.count < rhs.count }

  /// Whether the demand is exactly this number.
  @inlinable
  public static func == (lhs: Self, rhs: Int) -> Bool { lhs.max == rhs }
  /// Whether the demand is not this number.
  @inlinable
  public static func != (lhs: Self, rhs: Int) -> Bool { lhs.max != rhs }
  /// Whether the demand is more than the number; unlimited always is.
  @inlinable
  public static func > (lhs: Self, rhs: Int) -> Bool { lhs.max.map { $0 > rhs } ?? true }
  /// Whether the demand is at least the number; unlimited always is.
  @inlinable
  public static func >= (lhs: Self, rhs: Int) -> Bool { lhs.max.map { $0 >= rhs } ?? true }
  /// Whether the demand is less than the number; unlimited never is.
  @inlinable
  public static func < (lhs: Self, rhs: Int) -> Bool { lhs.max.map { $0 < rhs } ?? false }
  /// Whether the demand is at most the number; unlimited never is.
  @inlinable
  public static func <= (lhs: Self, rhs: Int) -> Bool { lhs.max.map { $0 <= rhs } ?? false }

  /// Whether the number is exactly the demand.
  @inlinable
  public static func == (lhs: Int, rhs: Self) -> Bool { rhs == lhs }
  /// Whether the number is not the demand.
  @inlinable
  public static func != (lhs: Int, rhs: Self) -> Bool { rhs != lhs }
  /// Whether the number is more than the demand.
  @inlinable
  public static func > (lhs: Int, rhs: Self) -> Bool { rhs < lhs }
  /// Whether the number is at least the demand.
  @inlinable
  public static func >= (lhs: Int, rhs: Self) -> Bool { rhs <= lhs }
  /// Whether the number is less than the demand.
  @inlinable
  public static func < (lhs: Int, rhs: Self) -> Bool { rhs > lhs }
  /// Whether the number is at most the demand.
  @inlinable
  public static func <= (lhs: Int, rhs: Self) -> Bool { rhs >= lhs }
}

extension Subscribers.Demand {
  /// Traps on a request for nothing, which is a mistake in the subscriber.
  @inlinable
  func mustBePositive() {
    precondition(self > .none, "a request must ask for at least one value")
  }

  /// Counts one value as sent; one that was not asked for does not count.
  @inlinable
  mutating func spendOne() {
    if self != .unlimited, self != .none { self = Self(count: count &- 1) }
  }
}
