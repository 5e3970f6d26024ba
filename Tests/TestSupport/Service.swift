// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The service under test: the program that the package builds, on private buses.
public final class Service {
  public nonisolated enum Deployment: String, Sendable {
    case system = "--system"
    case session = "--session"
  }

  public nonisolated static let name = "org.geopublicist.Location1"
  public nonisolated static let path = "/org/geopublicist/Location1"
  public nonisolated static let subscription = "org.geopublicist.Location1.Subscription"
  public nonisolated static let almanac = "org.geopublicist.Location1.Almanac"
  public nonisolated static let region = "org.geopublicist.Location1.Region"

  private let process: ChildProcess

  /// Starts the service and waits until it owns its name.
  ///
  /// - Parameters:
  ///   - bus: The bus of its interface.
  ///   - geoclueBus: The bus of GeoClue, the same by default.
  ///   - user: The user to run as; only root may choose.
  ///   - options: Further arguments. Without `--config` among them the service never exits when idle, because a test
  ///     may have to wait between its start and the first call.
  public init(
    _ deployment: Deployment, on bus: PrivateBus, geoclueOn geoclueBus: PrivateBus? = nil, as user: uid_t? = nil,
    options: [String] = [], environment: [String: String] = [:]
  ) throws {
    process = try ChildProcess(
      [
        Rig.product("geopublicistd"), deployment.rawValue, "--address", bus.address, "--geoclue-address",
        (geoclueBus ?? bus).address, "--verbose",
      ] + (options.contains("--config") ? [] : ["--config", Rig.file("never-idle.conf")]) + options,
      // Turns warnings of libdbus into failures.
      environment: environment.merging(["DBUS_FATAL_WARNINGS": "1", "XDG_DATA_DIRS": Rig.data]) { $1 }, as: user)
    try waitForOwner(of: Self.name, on: bus, by: process)
  }

  public var processIdentifier: pid_t { process.processIdentifier }
  public var isRunning: Bool { process.exited == nil }
  public var log: String { process.standardError }
  public func signal(_ number: Int32) { process.signal(number) }

  public func waitForExit(within limit: Duration = .seconds(10)) throws -> ChildProcess.Exit {
    try process.waitForExit(within: limit)
  }

  /// Kills it.
  public func kill() { process.kill() }
}

extension Service {
  public func residentKilobytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(processIdentifier)/status", encoding: .utf8)
    let words = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }?.split(separator: " ")
    return words.flatMap { Int($0[$0.count - 2].trimmingCharacters(in: .whitespaces)) } ?? 0
  }

  /// Whether its memory belongs only to the service. A sanitizer also uses memory, which grows.
  public nonisolated static var isMemoryItsOwn: Bool {
    let environment = ProcessInfo.processInfo.environment
    return environment["ASAN_OPTIONS"] == nil && environment["TSAN_OPTIONS"] == nil
  }
}
