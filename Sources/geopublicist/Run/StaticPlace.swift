// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Glibc

/// A location in the form of GeoClue's static source, for a machine that has no other source and does not move.
nonisolated struct StaticPlace {
  enum Failure: Error {
    case exists
    case other(String)
  }

  let place: Place
  /// Metres; nil if unknown.
  let altitude: Double?

  /// Four lines with a number each; the rest of a line is a comment.
  var text: String {
    let lines: [(String, String)] = [
      ("\(place.latitude)", "latitude"), ("\(place.longitude)", "longitude"),
      // GeoClue's own number for an unknown altitude, which it does not report.
      ("\(altitude ?? -Double.greatestFiniteMagnitude)", altitude == nil ? "altitude (unknown)" : "altitude"),
      ("\(place.radius)", "accuracy"),
    ]
    return "# \(place.name), written by `geopublicist place`.\n" + lines.map { "\($0.0)  # \($0.1)\n" }.joined()
  }

  /// Writes the file as a whole, readable only by GeoClue's user: other users must not learn where this computer is.
  func write(to path: String, replacing: Bool, owner: UInt32?) throws(Failure) {
    var template = Array("\(path).XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw Self.failure() }
    defer { close(descriptor) }
    let temporary = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    var isDone = false
    defer { if !isDone { unlink(temporary) } }
    let bytes = Array(text.utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fchmod(descriptor, 0o600) == 0,
      owner.map({ fchown(descriptor, $0, gid_t.max) == 0 }) ?? true, fsync(descriptor) == 0
    else { throw Self.failure() }
    // Unlike a rename, a link fails if the file exists.
    guard replacing ? rename(temporary, path) == 0 : link(temporary, path) == 0 else { throw Self.failure() }
    isDone = replacing
  }

  private static func failure() -> Failure {
    errno == EEXIST ? .exists : .other(String(cString: strerror(errno)))
  }
}
