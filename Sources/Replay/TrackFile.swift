// SPDX-License-Identifier: Apache-2.0
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
nonisolated struct MalformedTrack: Error {
  let message: String
}
