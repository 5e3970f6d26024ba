// SPDX-License-Identifier: Apache-2.0
import MainLoop

/// Where a replay is on its track, and how long it stays there: a pure state machine.
nonisolated struct Playback {
  private let track: Track
  private let speed: Double
  private let isLoop: Bool
  private var index = 0

  /// `speed` is how many times faster than recorded; greater than 0.
  init(_ track: Track, speed: Double, isLoop: Bool) {
    self.track = track
    self.speed = speed
    self.isLoop = isLoop
  }

  /// Where it is now.
  var point: Track.Point { track.points[index] }

  /// Microseconds to stay here. At the end, and between rounds, a second, as a receiver that stands still.
  var stay: Int64 {
    let next = index + 1
    guard next < track.points.count else { return Track.step }
    let recorded = Double(track.points[next].offset.subtractingClamped(point.offset)) / speed
    // No faster than anybody could follow, and no longer than a timer can count.
    return Int64(min(max(recorded, 1_000), 1e15))
  }

  /// Goes on to the next point, or back to the first; at the end of a track without a loop it stays.
  mutating func advance() {
    if index + 1 < track.points.count {
      index += 1
    } else if isLoop {
      index = 0
    }
  }
}
