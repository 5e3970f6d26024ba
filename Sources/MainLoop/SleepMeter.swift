// SPDX-License-Identifier: Apache-2.0
/// Measures how long the machine sleeps. The boot clock includes sleep, the monotonic clock does not. A change of the wall
/// clock is not a sleep.
package struct SleepMeter {
  /// Smaller differences come from the time between reading the two clocks.
  package static let tolerance = Duration.seconds(1)

  private var timeAsleep: Duration

  package init(_ clock: LoopClock) { timeAsleep = clock.timeAsleep }

  /// Returns how long the machine has slept since the last call, or 0.
  package mutating func newSleep(_ clock: LoopClock) -> Duration {
    let before = timeAsleep
    timeAsleep = clock.timeAsleep
    return timeAsleep - before > Self.tolerance ? timeAsleep - before : .zero
  }
}
