// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A GeoClue agent, like a desktop's location switch: it decides for the user that it runs as.
public final class DesktopAgent {
  private let process: ChildProcess
  private var output: [String] = []

  /// Starts it, and waits until GeoClue has accepted it.
  ///
  /// - Parameters:
  ///   - user: The user of the agent; only root may choose.
  ///   - level: The finest level for that user, in GeoClue's numbers: 0 is off, 8 exact.
  public init(at address: String, as user: uid_t? = nil, level: Int = 8) throws {
    process = try ChildProcess([Rig.python, Rig.file("geoclue-agent.py"), address, String(level)], as: user)
    try waitUntilRegistered()
  }

  /// Waits until GeoClue has accepted it that many times; each restart of GeoClue adds one.
  public func waitUntilRegistered(times: Int = 1) throws {
    try eventually("GeoClue accepts the agent", seen: process.output) {
      output += process.newLines()
      return output.count { $0 == "registered" } >= times
    }
  }

  /// Changes the finest level, as the desktop's switch does.
  public func setLevel(_ level: Int) throws { try process.send("level \(level)") }

  /// Changes the finest level without announcing it.
  public func setLevelSilently(_ level: Int) throws { try process.send("silently \(level)") }

  /// Ends it in order.
  public func quit() throws {
    try process.send("quit")
    _ = try process.waitForExit()
  }

  /// Ends it as a crash would.
  public func kill() { process.kill() }
}
