// SPDX-License-Identifier: Apache-2.0
/// A point in time of the wall clock, as D-Bus carries it: `(tt)`, seconds and microseconds since 1970 in UTC.
///
/// Always normalised: whole seconds in `microseconds` are carried over, and an overflow yields the greatest value,
/// because both numbers come from other processes.
public struct Timestamp: Hashable, Sendable {
  /// Whole seconds since 1970-01-01T00:00:00Z.
  public let seconds: UInt64
  /// The rest, 0 to 999,999.
  public let microseconds: UInt64

  /// Creates a timestamp from a `(tt)`; one million microseconds and more are carried over to the seconds.
  public init(seconds: UInt64 = 0, microseconds: UInt64 = 0) {
    let (sum, overflow) = seconds.addingReportingOverflow(microseconds / Self.perSecond)
    self.seconds = overflow ? .max : sum
    self.microseconds = overflow ? Self.perSecond - 1 : microseconds % Self.perSecond
  }

  /// Creates a timestamp from microseconds since 1970.
  public init(microsecondsSinceEpoch: UInt64) {
    self.init(seconds: 0, microseconds: microsecondsSinceEpoch)
  }

  /// Microseconds since 1970, or the greatest value when they are too many (after the year 586,000).
  public var microsecondsSinceEpoch: UInt64 {
    let (product, tooLarge) = seconds.multipliedReportingOverflow(by: Self.perSecond)
    let (sum, overflow) = product.addingReportingOverflow(microseconds)
    return tooLarge || overflow ? .max : sum
  }

  /// Microseconds from `other` to this one, negative if this is the earlier; kept within the range of `Int64`.
  public func microseconds(since other: Timestamp) -> Int64 {
    let (mine, theirs) = (microsecondsSinceEpoch, other.microsecondsSinceEpoch)
    return mine >= theirs ? Int64(clamping: mine - theirs) : -Int64(clamping: theirs - mine)
  }

  private static let perSecond: UInt64 = 1_000_000
}

extension Timestamp: Comparable {
  /// Earlier times are less.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    (left.seconds, left.microseconds) < (right.seconds, right.microseconds)
  }
}
