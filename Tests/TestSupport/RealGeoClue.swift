// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The packaged GeoClue on a private bus, offline, with one receiver at an NMEA socket.
public final class RealGeoClue {
  public let receiver: NMEAServer
  private let bus: PrivateBus
  private let idleSeconds: Int
  private var process: ChildProcess

  /// Starts GeoClue and waits until it owns its name.
  ///
  /// - Parameter idleSeconds: Seconds without a client after which it exits; 0 for never.
  public init(on bus: PrivateBus, idleSeconds: Int = 0) throws {
    self.bus = bus
    self.idleSeconds = idleSeconds
    receiver = NMEAServer()
    process = try Self.start(on: bus, receiver: receiver, idleSeconds: idleSeconds)
  }

  /// Kills it.
  public func kill() { process.kill() }

  public func restart() throws {
    process.kill()
    process = try Self.start(on: bus, receiver: receiver, idleSeconds: idleSeconds)
  }

  /// Stops the process, as if it hung, or continues it.
  public func suspend(_ suspended: Bool) { process.signal(suspended ? SIGSTOP : SIGCONT) }
  public var isRunning: Bool { process.exited == nil }
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

public let geoClueName = "org.freedesktop.GeoClue2"

/// GeoClue's settings, as written by a test.
public nonisolated enum GeoClueSettings {
  /// Returns settings without any source except, optionally, a receiver.
  ///
  /// - Parameters:
  ///   - receiver: Whether NMEA is read.
  ///   - more: Further groups.
  public static func offline(receiver: Bool, _ more: String = "") -> String {
    """
    [agent]
    whitelist=geoclue-demo-agent
    [network-nmea]
    enable=\(receiver)
    [3g]
    enable=false
    [cdma]
    enable=false
    [modem-gps]
    enable=false
    [wifi]
    enable=false
    \(more)

    """
  }
}

/// A client of GeoClue itself, for comparison with the service.
extension BusClient {
  public func askGeoClue(_ member: String) throws -> Answer {
    try call(member, of: "\(geoClueName).Manager", at: "/org/freedesktop/GeoClue2/Manager", of: geoClueName)
  }

  /// Creates a GeoClue client at level exact, and returns its path and the answer to `Start`.
  public func startGeoClueClient(
    desktopID: String = "org.example.Oracle", distance: Int = 0
  ) throws -> (path: String, answer: Answer) {
    let path = try askGeoClue("CreateClient").arguments()[0].string ?? ""
    let interface = "\(geoClueName).Client"
    for (name, value) in [
      ("DesktopId", JSON.variant("s", .string(desktopID))), ("RequestedAccuracyLevel", .variant("u", 8)),
      ("DistanceThreshold", .variant("u", .number(Double(distance)))),
    ] {
      _ = try set(name, of: interface, at: path, of: geoClueName, to: value).arguments()
    }
    return (path, try call("Start", of: interface, at: path, of: geoClueName))
  }
}

/// A GeoClue agent, like a desktop's location switch: it decides for the user that it runs as.
public final class DesktopAgent {
  private let process: ChildProcess
  private var output: [String] = []

  /// Starts the agent, and waits until GeoClue has accepted it.
  ///
  /// - Parameters:
  ///   - user: The user of the agent; only root may choose.
  ///   - level: The finest level for that user, in GeoClue's numbers: 0 is off, 8 exact.
  public init(at address: String, as user: uid_t? = nil, level: Int = 8) throws {
    process = try ChildProcess([Rig.python, Rig.file("geoclue-agent.py"), address, String(level)], as: user)
    try waitUntilRegistered()
  }

  /// Waits until GeoClue has accepted the agent that many times; each restart of GeoClue adds one.
  public func waitUntilRegistered(times: Int = 1) throws { try waitFor("registered", times) }

  private func waitFor(_ line: String, _ times: Int) throws {
    try eventually("the agent prints \(line)", seen: process.output) {
      output += process.newLines()
      return output.count { $0 == line } >= times
    }
  }

  /// Changes the finest level, as the desktop's switch does.
  public func setLevel(_ level: Int) throws { try process.send("level \(level)") }

  /// Changes the finest level without announcing it, and waits until the agent reports it if it is asked.
  public func setLevelSilently(_ level: Int) throws {
    let changes = output.count { $0 == "changed" }
    try process.send("silently \(level)")
    try waitFor("changed", changes + 1)
  }

  /// Sends it a signal, such as one that stops or continues it.
  public func signal(_ number: Int32) { process.signal(number) }

  /// Kills it.
  public func kill() { process.kill() }
}
