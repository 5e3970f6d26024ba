// SPDX-License-Identifier: Apache-2.0
/// Rejects locations that were measured before the machine slept but arrive afterwards.
///
/// Timestamps are compared with that of the source's last location, because the source's clock may differ from the
/// machine's. The comparison is made only for a few seconds, because a source that is set up again reports its old
/// location immediately or not at all.
package struct SleepFilter: Sendable {
  /// How long after waking a location may be an old one, in microseconds.
  package static let doubt: UInt64 = 5_000_000

  private let passesRepeats: Bool
  private var last: Timestamp?
  private var lastBeforeSleep: Timestamp?
  private var doubtful: (until: UInt64, earliest: Timestamp)?

  /// Creates a filter that has not seen a sleep.
  ///
  /// - Parameter passesRepeats: Whether the last measurement from before a sleep passes once ``doubt`` is over. A
  ///   source whose position never changes has no other. It shows where the device is, but not that it stayed there.
  package init(passesRepeats: Bool = true) { self.passesRepeats = passesRepeats }

  /// Records that the machine woke at `now` on the boot clock, with the wall clock at `time` if known.
  package mutating func woke(at now: UInt64, _ time: Timestamp? = nil) {
    let end = now.saturatingAdd(Self.doubt)
    // Sources report whole seconds.
    if let earliest = last.map({ Timestamp(seconds: $0.seconds.saturatingAdd(1)) }) ?? time {
      doubtful = (end, earliest)
    } else {
      doubtful?.until = end
    }
    lastBeforeSleep = last ?? lastBeforeSleep
    last = nil
  }

  /// Returns whether to pass on a location that arrives at `now`.
  package mutating func passes(_ location: Location, at now: UInt64) -> Bool {
    if let doubtful, now < doubtful.until, location.timestamp.seconds < doubtful.earliest.seconds { return false }
    if !passesRepeats, location.timestamp == lastBeforeSleep { return false }
    doubtful = nil
    last = location.timestamp
    return true
  }
}
