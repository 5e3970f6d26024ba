// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistLocationModel
import Glibc

/// Keeps a file complete at every moment: each fix goes out together with the trailer, in one write over the old trailer.
final class TrackWriter {
  /// Why a file cannot be written.
  nonisolated struct Failure: Error {
    let message: String
  }

  private let path: String
  private let descriptor: Int32
  private let isNew: Bool
  private var format: any TrackFormat
  /// Where the trailer begins.
  private var end: off_t = 0

  /// Makes the file, which must not exist unless `replacing` is set.
  init(_ path: String, _ format: any TrackFormat, replacing: Bool) throws(Failure) {
    self.path = path
    self.format = format
    isNew = !replacing
    descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (replacing ? O_TRUNC : O_EXCL), 0o644)
    guard descriptor >= 0 else {
      let code = errno
      let hint = code == EEXIST ? "; --force replaces it" : ""
      throw Failure(message: "\(path): \(String(cString: g_strerror(code)))\(hint)")
    }
    try write(format.header)
  }

  isolated deinit { close(descriptor) }

  /// Takes a file back that was made for nothing.
  func discard() {
    if isNew { unlink(path) }
  }

  /// Adds a fix.
  func append(_ location: Location) throws(Failure) { try write(format.entry(location)) }

  /// The next fix begins a new piece of the way.
  func interrupt() { format.interrupt() }

  /// Ends the file in order, and sees that the disk has it.
  func finish() throws(Failure) {
    try write(format.ending())
    guard fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS else { throw failure() }
  }

  private func write(_ entry: String) throws(Failure) {
    let bytes = Array((entry + format.trailer).utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written, end + off_t(written))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let failure = failure()
        restore()
        throw failure
      }
      written += count
    }
    end += off_t(entry.utf8.count)
  }

  /// Half an entry, on a disk that is full, is no good: back to what was complete.
  private func restore() {
    let trailer = Array(format.trailer.utf8)
    _ = trailer.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, end) }
    ftruncate(descriptor, end + off_t(trailer.count))
  }

  private func failure() -> Failure { Failure(message: "\(path): \(String(cString: g_strerror(errno)))") }
}
