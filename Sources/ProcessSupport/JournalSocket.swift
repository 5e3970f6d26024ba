// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import Glibc

/// Sends messages to the journal in its native protocol (one datagram per message) without ever blocking. Messages for
/// which the journal has no room are dropped and counted.
@MainActor final class JournalSocket {
  nonisolated static let path = "/run/systemd/journal/socket"

  private let path: String
  private let descriptor: Int32
  private var dropped = 0

  /// Returns nil if no socket can be created.
  init?(_ path: String = JournalSocket.path) {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return nil }
  }

  isolated deinit { close(descriptor) }

  /// Sends a message. Reports earlier dropped messages as soon as there is room again.
  func write(_ fields: UnsafeBufferPointer<GLogField>) { write(Self.entry(fields)) }

  /// Sends a message in the journal's format.
  func write(_ entry: [UInt8]) {
    if dropped > 0 {
      let text = "\(dropped) messages were lost because the journal was not reading"
      let isSent = send(Self.entry([("MESSAGE", text), ("PRIORITY", "4"), ("SYSLOG_IDENTIFIER", Log.identifier)]))
      if isSent { dropped = 0 }
    }
    if dropped > 0 || !send(entry) { dropped += 1 }
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    // The socket is not connected, so that a restarted journal is reached again.
    withSocketAddress(path) { sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, $1) } == bytes.count
  }

  private static func entry(_ fields: UnsafeBufferPointer<GLogField>) -> [UInt8] {
    var bytes: [UInt8] = []
    for field in fields {
      guard let key = field.key, let value = field.value else { continue }
      let length = field.length < 0 ? strlen(value.assumingMemoryBound(to: CChar.self)) : Int(field.length)
      append(String(cString: key), UnsafeRawBufferPointer(start: value, count: length), to: &bytes)
    }
    return bytes
  }

  static func entry(_ fields: [(String, String)]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (key, value) in fields { Array(value.utf8).withUnsafeBytes { append(key, $0, to: &bytes) } }
    return bytes
  }

  private static func append(_ key: String, _ value: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    bytes += key.utf8
    if value.contains(UInt8(ascii: "\n")) {
      // A value with line breaks is preceded by its length in little-endian order.
      bytes.append(UInt8(ascii: "\n"))
      let length = UInt64(value.count)
      for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
    } else {
      bytes.append(UInt8(ascii: "="))
    }
    bytes += value
    bytes.append(UInt8(ascii: "\n"))
  }
}
