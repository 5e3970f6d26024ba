import Glibc

/// Writes to a stream socket, all or nothing.
nonisolated enum WholeWrite {
  /// More than this is not tried: Linux takes a piece whole, or not at all, up to half of a Unix socket's room, which is 104
  /// KiB unless an administrator has made it smaller.
  static let largest = 32 * 1024
  /// How long the rest of a piece that was taken in part is waited for, milliseconds.
  private static let patience: Int32 = 1_000

  /// False if the socket has no room for it now.
  static func write(_ bytes: [UInt8], to socket: Int32) -> Bool {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        send(
          socket, $0.baseAddress?.advanced(by: written), $0.count - written,
          Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      }
      if count > 0 { written += count }
      guard count <= 0 else { continue }
      guard written > 0 else { return false }
      // A smaller room, or another kind of socket: half a message cannot be taken back, and nothing may come before the rest.
      var room = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
      guard errno == EAGAIN || errno == EINTR, poll(&room, 1, patience) > 0 else {
        shutdown(socket, Int32(SHUT_RDWR))
        return true
      }
    }
    return true
  }
}
