// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistCGLib

/// Determines whether a connection's process runs in a Flatpak or a Snap.
///
/// The security label comes from the bus and cannot be forged. Without a decisive label, the control group decides. It
/// is read from /proc, or requested from systemd where /proc hides other users' processes from a hardened service. A
/// process that cannot be looked up is unverifiable, which counts as sandboxed. As in GeoClue, the process that opened
/// the connection counts, even if another process uses it now.
final class SandboxCheck {
  typealias Handler = (Facts.Confinement, ControlGroup?) -> Void

  private let connection: Connection
  private let processes: UnitProcesses
  /// Reads `/proc/PID/cgroup`. Replaced in tests.
  private let controlGroup: (UInt32) -> String?

  init(
    on connection: Connection,
    controlGroup: @escaping (UInt32) -> String? = { SandboxCheck.contents(ofFile: "/proc/\($0)/cgroup") }
  ) {
    self.connection = connection
    self.controlGroup = controlGroup
    processes = UnitProcesses(on: connection)
  }

  /// Calls the handler with the result, immediately if /proc is readable.
  func check(_ peer: BusName, _ credentials: Credentials, _ handler: @escaping Handler) {
    if credentials.securityLabel?.isSandbox == true { return handler(.sandbox, nil) }
    guard let process = credentials.processID, process > 0 else { return handler(.unverifiable, nil) }
    if let contents = controlGroup(process), let group = ControlGroup(contents: contents) {
      return handler(group.isSandbox ? .sandbox : .host, group)
    }
    processes.controlGroup(of: process, user: credentials.userID) { group in
      guard let group else { return handler(.unverifiable, nil) }
      handler(group.isSandbox ? .sandbox : .host, group)
    }
  }

  static func contents(ofFile path: String) -> String? {
    var contents: UnsafeMutablePointer<CChar>?
    guard g_file_get_contents(path, &contents, nil, nil) != 0, let contents else { return nil }
    defer { g_free(contents) }
    return String(validatingCString: contents)
  }
}
