// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistProcessSupport
import GeopublicistReplay

/// Reads tracks of `record` and of other programs.
enum RecordedTrack {
  /// Returns the fixes of a file; their timestamps count from the first fix.
  static func read(_ path: String) throws -> [Location] {
    let track = try TrackFile.track(in: try TextFile.contents(of: path), from: path)
    return track.points.map { point in
      var location = point.fix
      location.timestamp = Timestamp(microsecondsSinceEpoch: UInt64(clamping: point.offset))
      return location
    }
  }
}
