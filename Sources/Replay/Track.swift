// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop

/// A recorded way: fixes, each with the time since the first one.
nonisolated public struct Track: Sendable {
  /// One fix of the way.
  public struct Point: Sendable {
    /// What was measured; its timestamp means nothing, it becomes that of the replay.
    public let fix: Location
    /// Microseconds since the track began; never less than that of the point before.
    public let offset: Int64

    /// A point as given.
    public init(fix: Location, offset: Int64) {
      self.fix = fix
      self.offset = offset
    }
  }

  /// The fixes in their order; there is at least one.
  public let points: [Point]

  /// Stays at one place.
  public init(at place: Location) { points = [Point(fix: place, offset: 0)] }

  /// What a file has: a fix, and when it was measured, in microseconds of any clock, if it says so.
  typealias Measurement = (fix: Location, time: Int64?)

  /// Between two points that have no time.
  static let step: Int64 = 1_000_000

  /// Orders what a file has; nil if it has nothing. A time that goes back, as at a receiver's start, counts as none.
  init?(_ measurements: [Measurement]) {
    guard !measurements.isEmpty else { return nil }
    var points: [Point] = []
    var last: (offset: Int64, time: Int64?) = (0, nil)
    for measurement in measurements {
      var offset = points.isEmpty ? 0 : last.offset.addingClamped(Self.step)
      if let time = measurement.time, let before = last.time, time >= before {
        offset = last.offset.addingClamped(time.subtractingClamped(before))
      }
      points.append(Point(fix: measurement.fix, offset: offset))
      last = (offset, measurement.time ?? last.time.map { $0.addingClamped(Self.step) })
    }
    self.points = points
  }
}
