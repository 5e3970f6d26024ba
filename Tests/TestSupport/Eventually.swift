// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What a wait throws whose condition did not come true in time.
public nonisolated struct DeadlineExceeded: Error, CustomStringConvertible {
  public let description: String

  public init(_ awaited: String, within limit: Duration, seen: String = "") {
    description = "not within \(limit): \(awaited)" + (seen.isEmpty ? "" : "\n\(seen)")
  }
}

/// Waits until a condition holds.
///
/// - Parameters:
///   - awaited: What is waited for, in words; it is in the error.
///   - limit: How long at most.
///   - turn: What happens between two looks. A test that has a main loop in its own process runs a turn of it here.
///   - condition: Looked at again and again until it is true.
/// - Throws: `DeadlineExceeded`, or what the condition throws.
public func eventually(
  _ awaited: String, within limit: Duration = .seconds(10), turn: () -> Void = nap, _ condition: () throws -> Bool
) throws {
  _ = try eventual(awaited, within: limit, turn: turn) { try condition() ? true : nil }
}

/// Waits until there is a value, and returns it; otherwise as `eventually`.
@discardableResult
public func eventual<Value>(
  _ awaited: String, within limit: Duration = .seconds(10), turn: () -> Void = nap, _ value: () throws -> Value?
) throws -> Value {
  let deadline = ContinuousClock.now + limit
  while true {
    if let value = try value() { return value }
    guard ContinuousClock.now < deadline else { throw DeadlineExceeded(awaited, within: limit) }
    turn()
  }
}

/// Watches for a while that a condition stays true; for what must not happen.
///
/// - Throws: `DeadlineExceeded` as soon as it does not, or what the condition throws.
public func always(
  _ promised: String, for time: Duration, turn: () -> Void = nap, _ condition: () throws -> Bool
) throws {
  let end = ContinuousClock.now + time
  repeat {
    guard try condition() else { throw DeadlineExceeded("to the end of it, \(promised)", within: time) }
    turn()
  } while ContinuousClock.now < end
}

/// A longer while: for conditions that ask the daemon, which allows a connection no more than 50 calls a second.
public nonisolated func rest() {
  usleep(40_000)
}

/// A few milliseconds for other processes.
public nonisolated func nap() {
  usleep(3000)
}
