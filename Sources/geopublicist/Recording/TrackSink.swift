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
  /// Whether the reader of standard output has gone, which is no failure.
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
  func discard() {}

  private func write(_ text: String) throws(TrackFailure) {
    if let code = StandardStream.write(text, to: STDOUT_FILENO) { throw .system("standard output", code) }
  }
}
