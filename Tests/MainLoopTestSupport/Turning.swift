// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import MainLoop

/// Runs the loop until a condition holds.
public func turning(
  _ awaited: String, within limit: Duration = .seconds(10), until condition: () throws -> Bool
) throws {
  try eventually(awaited, within: limit, turn: turn, condition)
}

/// Runs the loop for a while and checks that a condition holds all the time.
public func turning(for time: Duration, _ promised: String, while condition: () throws -> Bool) throws {
  try always(promised, for: time, turn: turn, condition)
}

/// One turn of the loop, which waits for a few milliseconds if nothing is ready.
public func turn() {
  let end = MainLoop.main.after(.milliseconds(3)) {}
  MainLoop.main.iterate(mayBlock: true)
  end.cancel()
}
