// SPDX-License-Identifier: Apache-2.0
import GeopublicistInstants

/// Tests write times as numbers: integer literals are microseconds.
nonisolated extension Instant: ExpressibleByIntegerLiteral {
  public init(integerLiteral microseconds: Int64) { self.init(microseconds: microseconds) }

  public static var max: Self { .distantFuture }

  public static func seconds(_ seconds: some BinaryInteger) -> Self { Self(sinceOrigin: .seconds(seconds)) }
  public static func milliseconds(_ milliseconds: some BinaryInteger) -> Self {
    Self(sinceOrigin: .milliseconds(milliseconds))
  }

  /// Whole seconds since the origin of the clock.
  public var wholeSeconds: UInt64 { microseconds / 1_000_000 }

  public static func + (time: Self, microseconds: Int) -> Self { time + .microseconds(microseconds) }
  public static func += (time: inout Self, microseconds: Int) { time = time + microseconds }
  public static func - (time: Self, microseconds: Int) -> Self { time - .microseconds(microseconds) }
}

/// Machines are compared by their descriptions, see ``Exploration``.
nonisolated extension Instant: CustomStringConvertible {
  public var description: String { "\(sinceOrigin.microseconds)" }
}

nonisolated public func * <Clock>(count: some BinaryInteger, unit: Duration) -> Instant<Clock> {
  Instant(sinceOrigin: unit * count)
}

nonisolated public func * (count: some BinaryInteger, unit: Duration) -> Duration { unit * count }
