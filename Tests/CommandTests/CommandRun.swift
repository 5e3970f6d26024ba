// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport

/// The command on a private bus.
enum CommandRun {
  /// Runs it to its end, in a pipe.
  static func finished(
    _ arguments: [String], on bus: PrivateBus, as user: uid_t? = nil, environment: [String: String] = [:]
  ) throws -> CommandResult {
    try run(
      [Rig.product("geopublicist"), "--address", bus.address] + arguments, environment: environment, as: user,
      within: .seconds(30))
  }

  /// Starts it and goes on.
  static func started(_ arguments: [String], on bus: PrivateBus) throws -> ChildProcess {
    try ChildProcess([Rig.product("geopublicist"), "--address", bus.address] + arguments)
  }
}

/// A bus with the real GeoClue and the daemon of the system deployment.
final class Machine {
  let bus: PrivateBus
  let geoclue: RealGeoClue
  let daemon: Daemon

  init() throws {
    bus = try PrivateBus(.system)
    geoclue = try RealGeoClue(on: bus)
    daemon = try Daemon(.system, on: bus)
  }

  func measure(_ latitude: Double, _ longitude: Double = 13) throws {
    try geoclue.receiver.write(GGASentence(latitude: latitude, longitude: longitude))
  }
}
