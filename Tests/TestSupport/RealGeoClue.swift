// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The packaged GeoClue on a private bus, offline, with one receiver at an NMEA socket.
public final class RealGeoClue {
  public let receiver: NMEAServer
  private let bus: PrivateBus
  private let idleSeconds: Int
  private var process: ChildProcess

  /// Starts it and waits until it owns its name.
  ///
  /// - Parameter idleSeconds: Seconds without a client after which it exits; 0 for never.
  public init(on bus: PrivateBus, idleSeconds: Int = 0) throws {
    self.bus = bus
    self.idleSeconds = idleSeconds
    receiver = NMEAServer()
    process = try Self.start(on: bus, receiver: receiver, idleSeconds: idleSeconds)
  }

  /// Ends it as a crash would.
  public func kill() { process.kill() }

  /// Starts it again after it has ended.
  public func restart() throws {
    process.kill()
    process = try Self.start(on: bus, receiver: receiver, idleSeconds: idleSeconds)
  }

  /// Stops it, as if it hung, or continues it.
  public func suspend(_ suspended: Bool) { process.signal(suspended ? SIGSTOP : SIGCONT) }

  /// Whether it runs.
  public var isRunning: Bool { process.exited == nil }

  /// Its debug messages.
  public var log: String { process.output }

  /// The numbers of all existing clients.
  public func clients() throws -> [String] {
    try introspectedChildren(of: "/org/freedesktop/GeoClue2/Client", at: geoClueName, on: bus)
  }

  private static func start(on bus: PrivateBus, receiver: NMEAServer, idleSeconds: Int) throws -> ChildProcess {
    let process = try ChildProcess([Rig.file("geoclue.sh"), bus.address, receiver.path, String(idleSeconds)])
    try waitForOwner(of: geoClueName, on: bus, by: process)
    return process
  }
}

/// GeoClue's name on the bus.
public let geoClueName = "org.freedesktop.GeoClue2"
