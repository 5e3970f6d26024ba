// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop

/// A recorded track: fixes with the time since the first one.
nonisolated public struct Track: Sendable {
  public struct Point: Sendable {
    /// The measurement. Its timestamp is replaced by that of the replay.
    public let fix: Location
    /// Microseconds since the start of the track. Never decreases from one point to the next.
    public let offset: Int64

    public init(fix: Location, offset: Int64) {
      self.fix = fix
      self.offset = offset
    }
  }

  /// The points in order, at least one.
  public let points: [Point]

  /// Creates a track that stays at one place.
  public init(at place: Location) { points = [Point(fix: place, offset: 0)] }

  /// A fix from a file and, if recorded, when it was measured, in microseconds of any clock.
  typealias Measurement = (fix: Location, time: Int64?)

  /// The time between two points without times, in microseconds.
  static let step: Int64 = 1_000_000

  /// Creates a track from the contents of a file, or returns nil if there are none. A time that goes back, for instance
  /// when a receiver starts, is ignored.
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

/// A file with a recorded track, in GPX, GeoJSON or NMEA 0183.
nonisolated public enum TrackFile {
  static let formats = "GPX, GeoJSON or NMEA 0183"

  /// Why a file could not be read as a track.
  public struct Failure: Error, CustomStringConvertible {
    /// The file and what is wrong with it, as a sentence.
    public let description: String
  }

  /// Parses the text of a file, whose format is detected from its content. Throws if it is malformed or contains no
  /// points.
  ///
  /// - Parameter path: The file's name in messages.
  public static func track(in text: String, from path: String) throws(Failure) -> Track {
    let first = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }.first
    let measurements: [Track.Measurement]
    do throws(MalformedTrack) {
      switch first {
      case "<": measurements = try GPXReader.read(text)
      case "{": measurements = try GeoJSONReader.read(text)
      default: measurements = NMEAReader.read(text)
      }
    } catch {
      throw Failure(description: "\(path): \(error.message)")
    }
    if let track = Track(measurements) { return track }
    throw Failure(description: "\(path): no track points found (expected \(formats))")
  }
}

/// What is wrong with the text of a track.
nonisolated struct MalformedTrack: Error { let message: String }
