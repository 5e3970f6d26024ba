// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Measures how fast the bus accepts queued messages, and limits the queue to the amount that it accepts in a moment.
///
/// dbus-daemon reads 4 KiB from each connection in turn, so while hundreds of connections keep it busy, everything
/// queued delays every answer and every location that follows.
nonisolated struct BusPace: Sendable {
  /// The least and the most that may be queued, in bytes. The kernel counts more than 1 KiB for each message, however
  /// small.
  static let water = 4 * 1024...24 * 1024
  /// The queue is limited to the amount that the bus accepts in this time.
  static let moment = Duration.milliseconds(40)
  /// How long the bus is observed for one measurement, while something is queued.
  static let window = Duration.milliseconds(100)
  /// Longer gaps between two samples do not count: the queue may have been empty in between.
  static let longestGap = Duration.milliseconds(10)

  private var last: (queued: Int, at: MonotonicInstant) = (0, .origin)
  private var (taken, busy): (Int, Duration) = (0, .zero)
  /// The number of queued bytes above which no more answers should be queued.
  private(set) var limit = Self.water.upperBound

  /// Records the number of bytes that are queued.
  mutating func look(queued: Int, at now: MonotonicInstant) {
    let elapsed = now - last.at
    if last.queued > 0, elapsed <= Self.longestGap {
      taken += max(0, last.queued - queued)
      busy += elapsed
    }
    last = (queued, now)
    guard busy >= Self.window else { return }
    let inMoment = Int(Int64(taken) * Self.moment.microseconds / busy.microseconds)
    limit = min(max(inMoment, Self.water.lowerBound), Self.water.upperBound)
    (taken, busy) = (0, .zero)
  }
}
