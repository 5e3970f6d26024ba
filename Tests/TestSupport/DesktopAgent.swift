// SPDX-License-Identifier: Apache-2.0
import Foundation

/// An agent of GeoClue, as a desktop's location switch is one: it decides for the user that it runs as.
public final class DesktopAgent {
  private let process: ChildProcess
  private var output: [String] = []

  /// Starts it; without waiting for GeoClue to be there.
  ///
  /// - Parameters:
  ///   - user: For whom; only root may say that.
  ///   - level: The most that GeoClue may tell that user, in GeoClue's numbers: 0 is off, 8 exact.
  public init(at address: String, as user: uid_t? = nil, level: Int = 8) throws {
    process = try ChildProcess([Rig.python, Rig.file("geoclue-agent.py"), address, String(level)], as: user)
  }

  /// Waits until GeoClue has accepted it that many times: once more after each of GeoClue's restarts.
  public func waitUntilRegistered(times: Int = 1) throws {
    do {
      try eventually("GeoClue accepts the agent") {
        output += process.newLines()
        return output.count { $0 == "registered" } >= times
      }
    } catch {
      throw DeadlineExceeded(
        "GeoClue accepts the agent", within: .seconds(10), seen: process.standardOutput + process.standardError)
    }
  }

  /// Changes what GeoClue may tell the user, as the desktop's switch does.
  public func setLevel(_ level: Int) throws {
    try process.send("level \(level)")
  }

  /// Changes what GeoClue may tell the user, and tells nobody.
  public func setLevelSilently(_ level: Int) throws {
    try process.send("silently \(level)")
  }

  /// Ends it in order.
  public func quit() throws {
    try process.send("quit")
    _ = try process.waitForExit()
  }

  /// Ends it as a crash would.
  public func kill() {
    process.kill()
  }
}
