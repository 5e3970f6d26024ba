import MainLoop
import TestSupport

/// Runs the loop until a condition holds.
func turning(_ awaited: String, within limit: Duration = .seconds(10), until condition: () throws -> Bool) throws {
  try eventually(awaited, within: limit, turn: turn, condition)
}

/// Runs the loop for a while and says whether a condition held all the time.
func turning(for time: Duration, _ promised: String, while condition: () throws -> Bool) throws {
  try always(promised, for: time, turn: turn, condition)
}

/// One turn of the loop, which waits for a few milliseconds if nothing is ready.
func turn() {
  let end = MainLoop.main.after(milliseconds: 3) {}
  MainLoop.main.iterate(mayBlock: true)
  end.cancel()
}

/// The kernel's monotonic clock in microseconds.
var monotonic: Int64 { LoopClock.system.monotonic() }
