// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistLocationModel
import Glibc

/// Where a recording goes.
protocol TrackSink: AnyObject {
  /// Adds a fix.
  func append(_ location: Location) throws(TrackFailure)

  /// The next fix begins a new piece of the way.
  func interrupt()

  /// Ends the recording in order.
  func finish() throws(TrackFailure)

  /// Removes a file that was made for nothing.
  func discard()
}

/// Why a recording cannot be written.
nonisolated struct TrackFailure: Error {
  let message: String
  /// The reader of standard output has gone, which is an end and no mistake.
  var isEndOfReader = false

  init(_ message: String) { self.message = message }

  /// What the C library has said last of a file.
  static func system(_ path: String, hint: String = "") -> TrackFailure {
    let code = errno
    var failure = TrackFailure("\(path): \(String(cString: g_strerror(code)))\(hint)")
    failure.isEndOfReader = code == EPIPE
    return failure
  }
}

/// A recording on standard output, which becomes complete at its end.
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
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { GeopublicistCGLib.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .system("standard output") }
      bytes = bytes.dropFirst(count)
    }
  }
}
