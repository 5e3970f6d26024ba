// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import MainLoop

/// Runs tasks and the loop until a condition holds.
func settle(_ awaited: String, until condition: () -> Bool) async throws {
  let limit = Duration.seconds(30)
  let deadline = ContinuousClock.now + limit
  while !condition() {
    guard ContinuousClock.now < deadline else { throw DeadlineExceeded(awaited, within: limit) }
    if !MainLoop.main.iterate() { nap() }
    await Task.yield()
  }
}
