// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A private message bus for one test.
public final class PrivateBus {
  public nonisolated enum Kind: String, Sendable {
    /// Debian's rules for the system bus, GeoClue's packaged policy and ours.
    case system
    /// Everything is allowed.
    case session
  }

  public nonisolated enum Broker: String, Sendable {
    case dbusDaemon = "dbus-daemon"
    case dbusBroker = "dbus-broker"

    /// The value of `BUS_BROKER` in the environment; dbus-daemon unless set.
    public static var chosen: Broker {
      guard let name = ProcessInfo.processInfo.environment["BUS_BROKER"] else { return .dbusDaemon }
      guard let broker = Broker(rawValue: name) else { fatalError("BUS_BROKER: neither dbus-daemon nor dbus-broker") }
      return broker
    }
  }

  public let address: String
  private let directory = TemporaryDirectory()
  private let process: ChildProcess

  /// Starts a bus and waits until it accepts connections.
  ///
  /// - Parameters:
  ///   - owner: On a system bus, the user who may own the service's name; this one by default.
  ///   - users: A file to be used as `/etc/passwd`; needs root.
  ///   - refused: On a session bus, a service that no program may call.
  public init(
    _ kind: Kind, broker: Broker = .chosen, owner: uid_t = getuid(), users: String? = nil,
    refusing refused: String? = nil
  ) throws {
    let socket = directory.file("bus")
    address = "unix:path=\(socket)"
    process = try ChildProcess(
      [Rig.file("private-bus.sh"), kind.rawValue, directory.path, String(owner)] + (refused.map { [$0] } ?? []),
      environment: ["BUS_BROKER": broker.rawValue].merging(users.map { ["BUS_PASSWD": $0] } ?? [:]) { $1 })
    try eventually("the bus answers", seen: process.standardError) {
      guard process.exited == nil else { throw Failure(description: "no bus: \(process.standardError)") }
      return connects(to: socket)
    }
  }

  /// Kills the bus.
  public func kill() { process.kill() }

  /// Stops the bus, like a machine under load, or continues it; works with dbus-daemon.
  public func suspend(_ suspended: Bool) { process.signal(suspended ? SIGSTOP : SIGCONT) }
  public nonisolated struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  private func connects(to path: String) -> Bool {
    let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(client) }
    return withUnixAddress(path) { connect(client, $0, $1) == 0 }
  }
}

public func withUnixAddress<Result>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  precondition(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path))
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
  }
}
