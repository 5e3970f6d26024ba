// SPDX-License-Identifier: Apache-2.0
/// A wall-clock time as represented on D-Bus: `(tt)`, seconds and microseconds since 1970 in UTC.
///
/// Always normalised: a million microseconds are carried over to the seconds, and an overflow yields the maximum value,
/// because both numbers come from other processes.
public struct Timestamp: Hashable, Sendable {
  /// Whole seconds since 1970-01-01T00:00:00Z.
  public let seconds: UInt64
  /// The fraction of the second, from 0 to 999,999.
  public let microseconds: UInt64

  /// Creates a timestamp from a `(tt)`. Microseconds of one million and above are carried over.
  public init(seconds: UInt64 = 0, microseconds: UInt64 = 0) {
    let (sum, overflow) = seconds.addingReportingOverflow(microseconds / Self.perSecond)
    self.seconds = overflow ? .max : sum
    self.microseconds = overflow ? Self.perSecond - 1 : microseconds % Self.perSecond
  }

  /// Creates a timestamp from microseconds since 1970.
  public init(microsecondsSinceEpoch: UInt64) { self.init(seconds: 0, microseconds: microsecondsSinceEpoch) }

  /// Microseconds since 1970, or the maximum value on overflow (after the year 586,000).
  public var microsecondsSinceEpoch: UInt64 {
    let (product, tooLarge) = seconds.multipliedReportingOverflow(by: Self.perSecond)
    let (sum, overflow) = product.addingReportingOverflow(microseconds)
    return tooLarge || overflow ? .max : sum
  }

  /// Returns the microseconds from `other` to this time, negative if this is earlier, clamped to the range of `Int64`.
  public func microseconds(since other: Timestamp) -> Int64 {
    let (mine, theirs) = (microsecondsSinceEpoch, other.microsecondsSinceEpoch)
    return mine >= theirs ? Int64(clamping: mine - theirs) : -Int64(clamping: theirs - mine)
  }

  private static let perSecond: UInt64 = 1_000_000
}

extension Timestamp: Comparable {
  /// Returns whether the left time is earlier.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    (left.seconds, left.microseconds) < (right.seconds, right.microseconds)
  }
}
