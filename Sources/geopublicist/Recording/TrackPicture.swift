// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Glibc
import MainLoop

/// A recording as a picture, which is drawn as a whole: every few seconds, and at the end.
final class TrackPicture: TrackSink {
  /// Microseconds between two drawings.
  private static let pause: Int64 = 5_000_000

  private let path: String
  private var pieces: [[Location]] = []
  private var isInterrupted = true
  private var drawnAt: Int64?

  init(_ path: String, replacing: Bool) throws(TrackFailure) {
    self.path = path
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (replacing ? 0 : O_EXCL)
    let descriptor = open(path, flags, 0o644)
    guard descriptor >= 0 else { throw .system(path, hint: errno == EEXIST ? "; --force replaces it" : "") }
    close(descriptor)
  }

  func append(_ location: Location) throws(TrackFailure) {
    if isInterrupted { pieces.append([]) }
    isInterrupted = false
    pieces[pieces.count - 1].append(location)
    let now = MainLoop.main.clock.monotonic()
    guard drawnAt.map({ now - $0 >= Self.pause }) ?? true else { return }
    drawnAt = now
    try draw()
  }

  func interrupt() { isInterrupted = true }
  func finish() throws(TrackFailure) { try draw() }
  func discard() { unlink(path) }

  private func draw() throws(TrackFailure) {
    do throws(KeyFile.FileError) {
      try TextFile.replace(path, with: SVGDrawing(pieces).text, mode: 0o644)
    } catch {
      throw TrackFailure(error.description)
    }
  }
}
