// SPDX-License-Identifier: Apache-2.0
/// Rejects locations that were measured before the machine slept and arrive only now.
///
/// Compares with the time of the source's last location, because its clock may differ from the machine's; and only
/// for a few seconds, because a source that is set up again reports its old location at once or not at all.
public struct SleepFilter: Sendable {
  /// How long after waking a location may be an old one, in microseconds.
  public static let doubt: UInt64 = 5_000_000

  private var lastTimestamp: Timestamp?
  private var doubtful: (until: UInt64, before: Timestamp)?

  /// Creates a filter that has not slept.
  public init() {}

  /// Notes that the machine has woken at `now` (boot clock), when the wall clock shows `time`.
  public mutating func woke(at now: UInt64, _ time: Timestamp) {
    doubtful = (
      now.saturatingAdd(Self.doubt), lastTimestamp.map { Timestamp(seconds: $0.seconds.saturatingAdd(1)) } ?? time
    )
    lastTimestamp = nil
  }

  /// Returns whether a location that arrives at `now` may be passed on.
  public mutating func passes(_ location: Location, at now: UInt64) -> Bool {
    if let doubtful, now < doubtful.until {
      // Sources report whole seconds.
      guard location.timestamp.seconds >= doubtful.before.seconds else { return false }
    }
    doubtful = nil
    lastTimestamp = location.timestamp
    return true
  }
}
