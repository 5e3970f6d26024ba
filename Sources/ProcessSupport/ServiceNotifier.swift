// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Tells the service manager how the program is: started, stopping, alive, and what it is doing.
///
/// This is the protocol of sd_notify(3): one datagram a message to the socket that `NOTIFY_SOCKET` names. Without that
/// variable, as on a terminal, every message goes nowhere.
@MainActor public final class ServiceNotifier {
  /// How often, in microseconds, ``keepAlive()`` has to be called: half of the time after which the service manager
  /// takes the program for hung. Nil when nobody watches; then a program need not wake up for this.
  public let keepAliveInterval: Int64?

  private let descriptor: Int32
  private var lastStatus: String?

  /// Finds the socket and the watchdog's time in the environment, and takes both out of it: children are not meant.
  public convenience init() {
    self.init(
      socket: Self.takeVariable("NOTIFY_SOCKET"), watchdogMicroseconds: Self.takeVariable("WATCHDOG_USEC"),
      watchdogProcess: Self.takeVariable("WATCHDOG_PID"))
  }

  /// With the values of `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`; what is malformed counts as absent.
  public init(socket: String?, watchdogMicroseconds: String?, watchdogProcess: String?) {
    descriptor = socket.map { Self.connectedSocket($0) } ?? -1
    let isMeant = watchdogProcess.map { pid_t($0) == getpid() } ?? true
    if descriptor >= 0, isMeant, let time = watchdogMicroseconds.flatMap({ Int64($0) }), time > 1 {
      keepAliveInterval = time / 2
    } else {
      keepAliveInterval = nil
    }
  }

  isolated deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// The program serves; units that wait for it may start.
  public func ready() { send("READY=1") }

  /// The program reads its configuration anew; ``ready()`` ends it.
  public func reloading() { send("RELOADING=1\nMONOTONIC_USEC=\(Self.monotonicMicroseconds)") }

  /// The program is on its way out.
  public func stopping() { send("STOPPING=1") }

  /// The program's main loop turns.
  public func keepAlive() { send("WATCHDOG=1") }

  /// What `systemctl status` shows: one line, for the administrator, never with a coordinate. Sent when it changes.
  public func status(_ text: String) {
    guard text != lastStatus else { return }
    lastStatus = text
    // A line break would begin another assignment.
    send("STATUS=" + text.map { $0.isNewline ? " " : String($0) }.joined())
  }

  private func send(_ message: String) {
    guard descriptor >= 0 else { return }
    let bytes = Array(message.utf8)
    // A service manager that does not listen must not end the program; there is nobody to tell, either.
    while Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) < 0, errno == EINTR {}
  }

  /// A datagram socket connected to a path or, where the name begins with @, to a name without a file; -1 if there is none.
  private static func connectedSocket(_ name: String) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(name.utf8)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard bytes.count > 1, bytes.count < room, bytes[0] == UInt8(ascii: "/") || bytes[0] == UInt8(ascii: "@") else {
      return -1
    }
    // An abstract name is what follows a zero byte; its length says where it ends, not another zero.
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 } else { bytes.append(0) }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size - room + bytes.count)

    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return -1 }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
    }
    if result == 0 { return descriptor }
    close(descriptor)
    return -1
  }

  private static var monotonicMicroseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1_000
  }

  private static func takeVariable(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    defer { unsetenv(name) }
    return String(cString: value)
  }
}
