// SPDX-License-Identifier: Apache-2.0
import GeopublicistProcessSupport
import GeopublicistTestSupport
import Glibc
import Testing

/// The program's side of sd_notify(3), with a socket like the service manager's.
@Suite @MainActor struct ServiceNotifierTests {
  private let folder = TemporaryDirectory()
  private var name: String { folder.file("notify") }

  /// A datagram socket at a path, or an abstract one if the name begins with @.
  @MainActor final class Manager {
    private let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)

    init(_ name: String) throws {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      var bytes = Array(name.utf8)
      if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      let length = socklen_t(MemoryLayout.offset(of: \sockaddr_un.sun_path)! + bytes.count)
      let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
      }
      try #require(result == 0, "bind: \(String(cString: strerror(errno)))")
    }

    isolated deinit { close(descriptor) }

    /// The next message that has arrived, or nil. A datagram arrives before its sender's call returns.
    func received() -> String? {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
    }
  }

  private func notifier(_ socket: String) -> ServiceNotifier {
    ServiceNotifier(socket: socket, watchdogMicroseconds: nil, watchdogProcess: nil)
  }

  @Test(arguments: [true, false])
  func `each notification is sent as one datagram to a path or an abstract socket`(hasFile: Bool)
    throws
  {
    let name = hasFile ? name : "@geopublicist-test-\(getpid())"
    let manager = try Manager(name)
    let notifier = notifier(name)
    notifier.ready()
    notifier.keepAlive()
    notifier.stopping()
    #expect(manager.received() == "READY=1")
    #expect(manager.received() == "WATCHDOG=1")
    #expect(manager.received() == "STOPPING=1")
    #expect(manager.received() == nil)
  }

  @Test func `the notification of a reload contains the time at which the reload began`() throws {
    let manager = try Manager(name)
    let notifier = notifier(name)
    notifier.reloading()
    let message = try #require(manager.received())
    #expect(message.hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
    #expect(message.split(separator: "=").last.flatMap { Int64($0) } ?? 0 > 0)
  }

  @Test func `the watchdog is notified twice per interval, and only by the process named in the environment`() throws {
    let manager = try Manager(name)
    func interval(_ time: String?, _ process: String?, socket: String? = nil) -> Duration? {
      ServiceNotifier(
        socket: socket ?? name, watchdogMicroseconds: time, watchdogProcess: process
      ).keepAliveInterval
    }
    withExtendedLifetime(manager) {
      #expect(interval("180000000", "\(getpid())") == .seconds(90))
      #expect(interval("180000000", nil) == .seconds(90))
      #expect(interval("180000000", "1") == nil)
      #expect(interval(nil, nil) == nil)
      for malformed in ["", "0", "-5", "3min", "99999999999999999999"] { #expect(interval(malformed, nil) == nil) }
      #expect(interval("180000000", nil, socket: folder.file("nobody")) == nil)
    }
  }

  /// The descriptor that the next opened file will receive.
  private func nextDescriptor() -> Int32 {
    let descriptor = open("/dev/null", O_RDONLY)
    close(descriptor)
    return descriptor
  }

  @Test func `a missing, malformed or closed notification socket is ignored`() throws {
    let before = nextDescriptor()
    for socket in [nil, "", "/", "@", "relative", "vsock:2:1", "/" + String(repeating: "x", count: 200)] {
      ServiceNotifier(socket: socket, watchdogMicroseconds: "2000", watchdogProcess: nil).ready()
    }
    #expect(nextDescriptor() == before)
    let notifier: ServiceNotifier
    do {
      let manager = try Manager(name)
      notifier = self.notifier(name)
      withExtendedLifetime(manager) {}
    }
    notifier.ready()
    notifier.stopping()
  }

  @Test func `a service manager that does not read does not block the service`() throws {
    let manager = try Manager(name)
    let notifier = notifier(name)
    for _ in 0..<5_000 { notifier.keepAlive() }
    while manager.received() != nil {}
    notifier.keepAlive()
    #expect(manager.received() == "WATCHDOG=1")
  }
}
