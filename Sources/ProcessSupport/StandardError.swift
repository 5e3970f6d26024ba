// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// Standard error, without the C library's shared stream, which Swift's rules about threads do not let through.
public enum StandardError {
  /// Writes the text as it is; what cannot be written is lost.
  public static func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { GeopublicistCGLib.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}
