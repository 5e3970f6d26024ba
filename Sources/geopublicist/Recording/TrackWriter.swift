// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Glibc

protocol TrackSink: AnyObject {
  func append(_ location: Location) throws(TrackFailure)

  /// Begins a new segment with the next fix.
  func interrupt()

  func finish() throws(TrackFailure)

  /// Removes the file if this recording made it.
  func discard()
}

/// Why a recording cannot be written.
nonisolated struct TrackFailure: Error {
  let message: String
  /// Whether the reader of standard output has exited, which is not a failure.
  private(set) var isEndOfReader = false

  init(_ message: String) { self.message = message }

  /// A failed call of the C library; `code` is its `errno`.
  static func system(_ path: String, _ code: Int32 = errno, hint: String = "") -> TrackFailure {
    var failure = TrackFailure("\(path): \(String(cString: g_strerror(code)))\(hint)")
    failure.isEndOfReader = code == EPIPE
    return failure
  }
}

/// A recording on standard output, complete when it has ended.
final class TrackStream: TrackSink {
  private var format: any TrackFormat

  init(_ format: any TrackFormat) throws(TrackFailure) {
    self.format = format
    try write(format.header)
  }

  func append(_ location: Location) throws(TrackFailure) { try write(format.entry(location)) }
  func interrupt() { format.interrupt() }
  func finish() throws(TrackFailure) { try write(format.ending() + format.trailer) }
  func discard() { try? finish() }

  private func write(_ text: String) throws(TrackFailure) {
    if let code = StandardStream.write(text, to: STDOUT_FILENO) { throw .system(tr("standard output"), code) }
  }
}

/// Keeps a file complete at every moment: one write replaces the trailer by the next fix and the trailer.
final class TrackWriter: TrackSink {
  private let path: String
  private let descriptor: Int32
  /// Whether this recording made the file.
  private let isNew: Bool
  /// Whether the header is in the file. One that is replaced keeps its contents until the first fix.
  private var hasBegun = false
  private var format: any TrackFormat
  /// Where the trailer begins.
  private var end: off_t = 0

  enum Existing { case refuse, replace, append }

  /// Makes the file, or opens it to continue the recording in it.
  init(_ path: String, _ format: any TrackFormat, _ existing: Existing) throws(TrackFailure) {
    self.path = path
    self.format = format
    (descriptor, isNew) = Self.open(path, existing == .append ? O_RDWR : O_WRONLY, mayExist: existing != .refuse)
    guard descriptor >= 0 else {
      throw .system(path, hint: errno == EEXIST ? tr("; --force replaces it, --append continues it") : "")
    }
    let size = existing == .append ? lseek(descriptor, 0, SEEK_END) : 0
    if size > 0 {
      try resume(size)
      hasBegun = true
    } else if isNew || !hasContents {
      try begin()
    }
  }

  /// Opens or makes a file. Returns a negative descriptor on failure, and whether the file is new.
  static func open(_ path: String, _ access: Int32, mayExist: Bool) -> (descriptor: Int32, isNew: Bool) {
    let flags = access | O_CREAT | O_CLOEXEC
    let descriptor = Glibc.open(path, flags | O_EXCL, 0o644)
    guard descriptor < 0, errno == EEXIST, mayExist else { return (descriptor, descriptor >= 0) }
    return (Glibc.open(path, flags, 0o644), false)
  }

  /// Whether it is a regular file with contents to keep.
  private var hasContents: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
  }

  private func begin() throws(TrackFailure) {
    guard !hasBegun else { return }
    hasBegun = true
    if hasContents { ftruncate(descriptor, 0) }
    try write(format.header)
  }

  /// Continues before the trailer of a recording of this format.
  private func resume(_ size: off_t) throws(TrackFailure) {
    let trailer = Array(format.trailer.utf8)
    // Enough to see whether there is an entry before the trailer.
    let count = min(Int(size), trailer.count + 64)
    var bytes = [UInt8](repeating: 0, count: count)
    guard pread(descriptor, &bytes, count, size - off_t(count)) == count else { throw .system(path) }
    guard bytes.suffix(trailer.count) == trailer[...],
      format.resume(after: String(decoding: bytes.dropLast(trailer.count), as: UTF8.self))
    else {
      throw TrackFailure(tr("\(path): this is not a recording of geopublicist in this format; it was not changed"))
    }
    end = size - off_t(trailer.count)
  }

  isolated deinit { close(descriptor) }

  func discard() {
    if isNew { unlink(path) }
  }

  func append(_ location: Location) throws(TrackFailure) {
    try begin()
    try write(format.entry(location))
  }

  func interrupt() { format.interrupt() }

  func finish() throws(TrackFailure) {
    guard hasBegun else { return }
    try write(format.ending())
    guard fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS else { throw .system(path) }
  }

  private func write(_ entry: String) throws(TrackFailure) {
    let bytes = Array((entry + format.trailer).utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written, end + off_t(written))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let failure = TrackFailure.system(path)
        restore()
        throw failure
      }
      written += count
    }
    end += off_t(entry.utf8.count)
  }

  /// Removes the part of an entry that was written before the disk was full.
  private func restore() {
    let trailer = Array(format.trailer.utf8)
    _ = trailer.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, end) }
    ftruncate(descriptor, end + off_t(trailer.count))
  }
}
