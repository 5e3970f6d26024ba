// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import Glibc

/// Standard output and standard error, without the C library's shared streams, which Swift's concurrency checks reject.
public enum StandardStream {
  /// Writes a whole text to a descriptor, waiting while it accepts no more; returns the `errno` of a failure, nil
  /// without one.
  public static func write(_ text: String, to descriptor: Int32) -> Int32? {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { GeopublicistCGLib.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        bytes = bytes.dropFirst(count)
      } else if errno == EAGAIN {
        var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&writable, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }

  /// Prints a text on standard output before the program ends, and returns the program's exit status: 1 after an error,
  /// which it reports. A reader that has exited is not an error.
  public static func print(_ text: String, as program: String) -> Int32 {
    guard let code = write(text, to: STDOUT_FILENO), code != EPIPE else { return 0 }
    StandardError.write("\(program): The output cannot be written: \(String(cString: strerror(code)))\n")
    return 1
  }
}

/// Standard error, for messages.
public enum StandardError {
  /// Writes the text as it is; text that cannot be written is lost.
  public static func write(_ text: String) { _ = StandardStream.write(text, to: STDERR_FILENO) }
}
