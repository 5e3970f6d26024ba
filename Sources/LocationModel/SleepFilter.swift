// SPDX-License-Identifier: Apache-2.0
import GeopublicistInstants

/// Rejects locations that were measured before the machine slept but arrive afterwards.
///
/// Reported times are compared with that of the source's clock at the wake-up, which may differ from the machine's. It is
/// derived from the location that was the freshest on arrival, because a source may report an old one first. The
/// comparison is made only for a few seconds from the first location, because a source that is set up again reports its
/// old location immediately or not at all.
package struct SleepFilter: Sendable {
  /// For how long after the first location others may be old ones.
  package static let doubt = Duration.seconds(5)

  private var freshest: (time: Timestamp, at: BootInstant)?
  /// Whether it is not the only one. The first one may be from before the service was started.
  private var isClockKnown = false
  /// Whether the wall clock was set since. Most sources measure with it.
  private var isClockNew = false
  private var last: Timestamp?
  /// The last location that passed before the sleep and the last that was rejected. Neither passes later.
  private var old: (passed: Timestamp?, rejected: Timestamp?)
  private var doubtful: (until: BootInstant?, earliest: UInt64)?

  /// Creates a filter that has not seen a sleep.
  package init() {}

  /// Records that the machine woke at `now` on the boot clock, with the wall clock at `time` if known.
  package mutating func woke(at now: BootInstant, _ time: Timestamp? = nil) {
    // Sources report whole seconds.
    let earliest = freshest.map {
      Timestamp(seconds: $0.time.seconds, microseconds: UInt64(max(.seconds(1), now - $0.at).microseconds))
    }
    // If the clock was set or there was only one location, it is not known which clock the source follows. The later time
    // rejects more.
    let times = [earliest, isClockNew || !isClockKnown ? time : nil].compactMap { $0?.seconds }
    doubtful = times.max().map { (nil, $0) }
    old.passed = last
  }

  /// Records that the wall clock was set.
  package mutating func clockWasSet() { isClockNew = true }

  /// Returns whether to pass on a location that arrives at `now`.
  package mutating func passes(_ location: Location, at now: BootInstant) -> Bool {
    // A static location is announced once, and a sleep does not change it. What a source asserts counts as measured when
    // it is announced.
    guard !location.isStatic, !location.isAsserted else { return true }
    guard location.reportedTime != old.passed, location.reportedTime != old.rejected else { return false }
    if let (until, earliest) = doubtful {
      let end = until ?? now + Self.doubt
      doubtful = (end, earliest)
      if now < end, location.reportedTime.seconds < earliest {
        old.rejected = location.reportedTime
        return false
      }
    }
    // A source whose locations remain too old has had its clock set back.
    let isSetBack = doubtful.map { location.reportedTime.seconds < $0.earliest } ?? false
    let isFresher = freshest.map { (location.reportedTime - $0.time).seconds >= (now - $0.at).seconds } ?? true
    isClockKnown = freshest != nil
    if isSetBack || isFresher { (freshest, isClockNew) = ((location.reportedTime, now), false) }
    (doubtful, last) = (nil, location.reportedTime)
    return true
  }
}
