// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import Glibc

/// Reports the state of the program to the service manager.
///
/// Implements the protocol of sd_notify(3): one datagram per message to the socket in `NOTIFY_SOCKET`. Without that
/// variable, for instance on a terminal, messages are discarded.
@MainActor public final class ServiceNotifier {
  /// How often ``keepAlive()`` must be called: half the time after which the service manager considers
  /// the program hung. Nil if there is no watchdog, in which case the program need not wake up.
  public let keepAliveInterval: Duration?

  private let descriptor: Int32

  /// Reads the socket and the watchdog time from the environment and removes them, because they do not apply to child
  /// processes.
  public convenience init() {
    self.init(
      socket: Self.takeVariable("NOTIFY_SOCKET"), watchdogMicroseconds: Self.takeVariable("WATCHDOG_USEC"),
      watchdogProcess: Self.takeVariable("WATCHDOG_PID"))
  }

  /// Uses the values of `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`. Malformed values are ignored.
  public init(socket: String?, watchdogMicroseconds: String?, watchdogProcess: String?) {
    descriptor = socket.map { Self.connectedSocket($0) } ?? -1
    let isMeant = watchdogProcess.map { pid_t($0) == getpid() } ?? true
    if descriptor >= 0, isMeant, let time = watchdogMicroseconds.flatMap({ Int64($0) }), time > 1 {
      keepAliveInterval = .microseconds(time / 2)
    } else {
      keepAliveInterval = nil
    }
  }

  isolated deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Reports that the program is serving, so that dependent units may start.
  public func ready() { send("READY=1") }

  /// Reports that the program is reloading its configuration, until ``ready()`` is called.
  public func reloading() { send("RELOADING=1\nMONOTONIC_USEC=\(g_get_monotonic_time())") }

  public func stopping() { send("STOPPING=1") }

  /// Reports that the program's main loop is running.
  public func keepAlive() { send("WATCHDOG=1", MSG_DONTWAIT) }

  private func send(_ message: String, _ flags: Int = 0) {
    guard descriptor >= 0 else { return }
    let bytes = Array(message.utf8)
    // A service manager that does not listen must not end the program, and there is nowhere to report it.
    while Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(flags)) < 0, errno == EINTR {}
  }

  /// Returns a datagram socket connected to a name, or -1.
  private static func connectedSocket(_ name: String) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return -1 }
    if withSocketAddress(name, { connect(descriptor, $0, $1) }) == 0 { return descriptor }
    close(descriptor)
    return -1
  }

  private static func takeVariable(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    defer { unsetenv(name) }
    return String(cString: value)
  }
}

/// Calls `body` with the address of a socket at a path or, if the name begins with @, at an abstract name; returns nil for a
/// name that is neither.
package func withSocketAddress<Result>(
  _ name: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result? {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  var bytes = Array(name.utf8)
  let room = MemoryLayout.size(ofValue: address.sun_path)
  guard bytes.count > 1, bytes.count < room, name.hasPrefix("/") || name.hasPrefix("@") else { return nil }
  // An abstract name begins with a zero byte and is not NUL-terminated.
  if name.hasPrefix("@") { bytes[0] = 0 } else { bytes.append(0) }
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
  let length = socklen_t(MemoryLayout<sockaddr_un>.size - room + bytes.count)
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
  }
}
