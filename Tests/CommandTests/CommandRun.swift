// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport

/// The command on a private bus.
enum CommandRun {
  /// Runs the command in a pipe until it exits.
  static func finished(
    _ arguments: [String], on bus: PrivateBus, as user: uid_t? = nil, environment: [String: String] = [:]
  ) throws -> CommandResult {
    try run(
      [Rig.product("geopublicist"), "--address", bus.address] + arguments, environment: environment, as: user,
      within: .seconds(30))
  }

  /// Starts the command without waiting.
  static func started(_ arguments: [String], on bus: PrivateBus) throws -> ChildProcess {
    try ChildProcess([Rig.product("geopublicist"), "--address", bus.address] + arguments)
  }
}

extension CommandResult {
  /// The objects that the command has written, one per line.
  var objects: [JSON] { JSON.lines(standardOutput) }
}

extension JSON {
  /// The values of a text that has one value per line.
  static func lines(_ text: String) -> [JSON] { text.split(separator: "\n").compactMap { JSON(line: String($0)) } }
}

/// The real GeoClue and the service of a deployment.
final class CommandFixture {
  let system: PrivateBus
  /// The bus of the service.
  let bus: PrivateBus
  let geoclue: RealGeoClue
  /// The user's agent, in a session.
  let agent: DesktopAgent?
  let service: Service

  init(_ deployment: Service.Deployment = .system) throws {
    system = try PrivateBus(.system)
    bus = deployment == .system ? system : try PrivateBus(.session)
    geoclue = try RealGeoClue(on: system)
    agent = deployment == .system ? nil : try DesktopAgent(at: system.address)
    service = try Service(deployment, on: bus, geoclueOn: system)
  }

  /// Runs the command on this bus in a pipe until it exits.
  func finished(
    _ arguments: [String], as user: uid_t? = nil, environment: [String: String] = [:]
  ) throws -> CommandResult {
    try CommandRun.finished(arguments, on: bus, as: user, environment: environment)
  }

  /// Starts the command on this bus without waiting.
  func started(_ arguments: [String]) throws -> ChildProcess { try CommandRun.started(arguments, on: bus) }

  func measure(_ latitude: Double, _ longitude: Double = 13) throws {
    try geoclue.receiver.write(GGASentence(latitude: latitude, longitude: longitude))
  }

  /// Writes a fix whenever GeoClue listens, until a condition holds.
  func measure(_ latitude: Double, until awaited: String, _ condition: () throws -> Bool) throws {
    try eventually(awaited, within: .seconds(30)) {
      geoclue.receiver.offer(GGASentence(latitude: latitude, longitude: 13))
      return try condition()
    }
  }

  /// Writes a fix, and waits until a command has printed a line about it.
  func measure(_ latitude: Double, for command: ChildProcess) throws {
    try measure(latitude)
    try eventually("a fix", seen: command.output) { command.standardOutput.hasSuffix("\n") }
  }
}
