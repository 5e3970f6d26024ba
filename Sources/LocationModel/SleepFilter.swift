// SPDX-License-Identifier: Apache-2.0
/// Rejects locations that were measured before the machine slept and arrive only now.
///
/// Compares with the time of the source's last location, because its clock may differ from the machine's; and only
/// for a few seconds, because a source that is set up again reports its old location at once or not at all.
public struct SleepFilter: Sendable {
  /// How long after waking a location may be an old one, in microseconds.
  public static let doubt: UInt64 = 5_000_000

  private let passesRepeats: Bool
  private var last: Timestamp?
  private var lastBeforeSleep: Timestamp?
  private var doubtful: (until: UInt64, earliest: Timestamp)?

  /// Creates a filter that has not slept.
  ///
  /// - Parameter passesRepeats: Whether the last measurement from before a sleep passes once the doubt is over: a source
  ///   whose place never changes has no other. It says where the device is, but it is no evidence that it stayed there.
  public init(passesRepeats: Bool = true) { self.passesRepeats = passesRepeats }

  /// Notes that the machine has woken at `now` (boot clock), when the wall clock shows `time`, if that is known.
  public mutating func woke(at now: UInt64, _ time: Timestamp? = nil) {
    let end = now.saturatingAdd(Self.doubt)
    // Sources give whole seconds.
    if let earliest = last.map({ Timestamp(seconds: $0.seconds.saturatingAdd(1)) }) ?? time {
      doubtful = (end, earliest)
    } else {
      doubtful?.until = end
    }
    lastBeforeSleep = last ?? lastBeforeSleep
    last = nil
  }

  /// Returns whether a location that arrives at `now` may be passed on.
  public mutating func passes(_ location: Location, at now: UInt64) -> Bool {
    if let doubtful, now < doubtful.until, location.timestamp.seconds < doubtful.earliest.seconds { return false }
    if !passesRepeats, location.timestamp == lastBeforeSleep { return false }
    doubtful = nil
    last = location.timestamp
    return true
  }
}
