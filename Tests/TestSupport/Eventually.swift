// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Thrown when a condition did not become true in time.
public nonisolated struct DeadlineExceeded: Error, CustomStringConvertible {
  public let description: String

  public init(_ awaited: String, within limit: Duration, seen: String = "") {
    description = "not within \(limit): \(awaited)" + (seen.isEmpty ? "" : "\n\(seen)")
  }
}

/// Waits until a condition holds.
///
/// - Parameters:
///   - awaited: The condition in words, for the error.
///   - limit: The longest wait.
///   - turn: Called between two checks. A test with a main loop in its own process runs a turn of it here.
///   - seen: The observed state, for the error.
///   - condition: Checked until it is true.
/// - Throws: `DeadlineExceeded`, or what the condition throws.
public func eventually(
  _ awaited: String, within limit: Duration = .seconds(10), turn: () -> Void = nap,
  seen: @autoclosure () -> String = "", _ condition: () throws -> Bool
) throws {
  _ = try eventual(awaited, within: limit, turn: turn, seen: seen()) { try condition() ? true : nil }
}

/// Waits until there is a value, and returns it, like `eventually`.
@discardableResult
public func eventual<Value>(
  _ awaited: String, within limit: Duration = .seconds(10), turn: () -> Void = nap,
  seen: @autoclosure () -> String = "", _ value: () throws -> Value?
) throws -> Value {
  let deadline = ContinuousClock.now + limit
  while true {
    if let value = try value() { return value }
    guard ContinuousClock.now < deadline else { throw DeadlineExceeded(awaited, within: limit, seen: seen()) }
    turn()
  }
}

/// Checks that a condition stays true for a while; for events that must not occur.
///
/// - Throws: `DeadlineExceeded` as soon as it is false, or what the condition throws.
public func always(
  _ promised: String, for time: Duration, turn: () -> Void = nap, _ condition: () throws -> Bool
) throws {
  let end = ContinuousClock.now + time
  repeat {
    guard try condition() else { throw DeadlineExceeded("to the end of it, \(promised)", within: time) }
    turn()
  } while ContinuousClock.now < end
}

/// Waits, if necessary, for the next interval of the boot clock in which a reduced location at `country` may not change, so
/// that none ends during a test.
public func waitForIntervalOfCountry() throws {
  let (length, needed) = (900, 20)
  try eventually("the next interval of country begins", within: .seconds(2 * needed)) {
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &now)
    return length - now.tv_sec % length > needed
  }
}

/// Waits longer: for conditions that call the service, which allows 50 calls a second per connection.
public nonisolated func rest() { usleep(40_000) }

/// Gives other processes a few milliseconds.
public nonisolated func nap() { usleep(3000) }
