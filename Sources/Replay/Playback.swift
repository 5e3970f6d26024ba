// SPDX-License-Identifier: Apache-2.0
import MainLoop

/// The state machine of a replay: its position on the track and how long it stays there.
nonisolated struct Playback {
  private let track: Track
  private let speed: Double
  private let isLoop: Bool
  private var index = 0

  /// - Parameter speed: How many times faster than recorded, greater than 0.
  init(_ track: Track, speed: Double, isLoop: Bool) {
    self.track = track
    self.speed = speed
    self.isLoop = isLoop
  }

  /// The current point.
  var point: Track.Point { track.points[index] }

  /// How long to stay at the current point, in microseconds. At the end and between rounds it is one second, like a
  /// stationary receiver.
  var stay: Int64 {
    let next = index + 1
    guard next < track.points.count else { return Track.step }
    let recorded = Double(track.points[next].offset.subtractingClamped(point.offset)) / speed
    // At least 1 ms, which clients can follow, and at most what a timer can represent.
    return Int64(min(max(recorded, 1_000), 1e15))
  }

  /// Advances to the next point. At the end of the track, starts over if it is a loop, otherwise stays.
  mutating func advance() {
    if index + 1 < track.points.count {
      index += 1
    } else if isLoop {
      index = 0
    }
  }
}
