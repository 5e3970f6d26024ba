// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// A file with a recorded track, in GPX or NMEA 0183.
nonisolated public enum TrackFile {
  /// Why a file gives no track.
  public struct Failure: Error, CustomStringConvertible {
    /// The file and what is wrong with it, in a sentence.
    public let description: String
  }

  /// Reads a track; what kind of file it is, is told by its content.
  ///
  /// Throws if the file cannot be read, is not well-formed, or has no point in it.
  public static func load(_ path: String) throws(Failure) -> Track {
    let text = try contents(of: path)
    let isMarkup = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }.first == "<"
    do throws(GPXReader.Malformed) {
      let measurements = isMarkup ? try GPXReader.read(text) : NMEAReader.read(text)
      if let track = Track(measurements) { return track }
    } catch {
      throw Failure(description: "\(path): \(error.message)")
    }
    throw Failure(description: "\(path): there is no point in it, neither in GPX nor in NMEA 0183")
  }

  private static func contents(of path: String) throws(Failure) -> String {
    var bytes: UnsafeMutablePointer<CChar>?
    var count: gsize = 0
    var error: UnsafeMutablePointer<GError>?
    guard g_file_get_contents(path, &bytes, &count, &error) != 0, let bytes else {
      let message = error.map { String(cString: $0.pointee.message) } ?? "\(path): it cannot be read"
      g_clear_error(&error)
      throw Failure(description: message)
    }
    defer { g_free(bytes) }
    return bytes.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
      String(decoding: UnsafeBufferPointer(start: $0, count: Int(count)), as: UTF8.self)
    }
  }
}
