import Glibc

/// Writes to a stream socket of Linux, all or nothing.
nonisolated enum WholeWrite {
  /// More than this is not tried: the kernel takes a piece whole, or not at all, up to half of the socket's room, which is
  /// 104 KiB unless an administrator has made it smaller.
  static let largest = 32 * 1024

  /// False if the socket has no room for it now.
  static func write(_ bytes: [UInt8], to socket: Int32) -> Bool {
    let written = bytes.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) }
    // Half a message cannot be taken back, and nothing can follow it: then this is the end of the connection.
    if written >= 0, written < bytes.count { shutdown(socket, Int32(SHUT_RDWR)) }
    return written >= 0
  }
}
