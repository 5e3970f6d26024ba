// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A GeoClue that fails on command (Tests/Rig/fake-geoclue.py), for faults that the real one cannot be made to show.
///
/// It runs as root or as this user, on a system or a session bus, and needs an agent as the real one does.
public final class FakeGeoClue {
  public nonisolated struct Call: Sendable {
    public let member: String
    public let path: String
    public let sender: String
  }

  private let bus: PrivateBus
  private let idleSeconds: Double
  private var process: ChildProcess
  private var received: [Call] = []
  private var lastState = JSON.null
  private var told = 0

  /// Starts the fake and waits until it owns its name.
  ///
  /// - Parameter idleSeconds: The seconds without a client after which it exits; 0 for never.
  public init(on bus: PrivateBus, idleSeconds: Double = 0) throws {
    self.bus = bus
    self.idleSeconds = idleSeconds
    process = try Self.start(on: bus, idleSeconds: idleSeconds)
  }

  /// Sends the fake a command, and waits until the command is executed. The script of the fake describes the commands.
  public func tell(_ command: [String: JSON]) throws {
    read()
    let known = told
    try process.send(JSON.object(command).line)
    try eventually("a command is carried out") {
      read()
      return told > known || process.exited != nil
    }
  }

  /// Sends a measurement to every started client.
  public func fix(latitude: Double, longitude: Double = 13, _ more: [String: JSON] = [:]) throws {
    let place: [String: JSON] = ["Latitude": .number(latitude), "Longitude": .number(longitude)]
    try tell(["fix": .object(place.merging(more) { $1 })])
  }

  /// Makes calls of a member fail from now on.
  ///
  /// - Parameters:
  ///   - action: The fault: hang, delay, refuse, reply or exit.
  ///   - parameters: The fault's parameters; `times` limits the number of calls.
  public func fault(on member: String, _ action: String, _ parameters: [String: JSON] = [:]) throws {
    let fault: [String: JSON] = ["on": .string(member), "do": .string(action)]
    try tell(["fault": .object(fault.merging(parameters) { $1 })])
  }

  /// Refuses each call of a member with a standard error of D-Bus.
  public func refuse(_ member: String, with text: String, name: String = "AccessDenied") throws {
    try fault(on: member, "refuse", ["name": .string("org.freedesktop.DBus.Error." + name), "text": .string(text)])
  }

  /// Answers hanging calls, and all later ones.
  public func release(_ member: String) throws { try tell(["release": .string(member)]) }

  public var calls: [Call] {
    read()
    return received
  }

  /// The number of calls of a member that the fake has received so far.
  public func count(of member: String) -> Int { calls.count { $0.member == member } }

  /// Its current clients, agents and waiting calls.
  public func state() throws -> JSON {
    try tell(["state": true])
    return lastState
  }

  public func clients() throws -> [JSON] { try state()["clients"]?.array ?? [] }

  @discardableResult
  public func startedClient(within limit: Duration = .seconds(20), turn: () -> Void = nap) throws -> JSON {
    try eventual("a client is started", within: limit, turn: turn) { try clients().first { $0["active"] == true } }
  }

  /// Kills it.
  public func kill() { process.kill() }
  public var exited: ChildProcess.Exit? { process.exited }

  /// Starts the fake again after it has ended, without faults.
  public func restart() throws {
    process.kill()
    process = try Self.start(on: bus, idleSeconds: idleSeconds)
  }

  private static func start(on bus: PrivateBus, idleSeconds: Double) throws -> ChildProcess {
    let process = try ChildProcess([Rig.python, Rig.file("fake-geoclue.py"), bus.address, String(idleSeconds)])
    try eventually("the fake GeoClue owns its name", seen: process.standardError) {
      process.standardOutput.contains("\"owner\"")
    }
    return process
  }

  private func read() {
    for line in process.newLines() {
      guard let message = JSON(line: line) else { continue }
      if let state = message["state"] { lastState = state }
      if message["told"] != nil { told += 1 }
      guard let member = message["called"]?.string else { continue }
      received.append(
        Call(member: member, path: message["path"]?.string ?? "", sender: message["sender"]?.string ?? ""))
    }
  }
}
