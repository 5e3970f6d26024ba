// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistCGLib

/// Finds out whether a connection's process lives in a Flatpak or a Snap.
///
/// The security label comes from the bus and cannot be wrong. Where it says nothing, the process's control group does,
/// read from /proc, or asked of systemd where /proc hides other users' processes from a hardened service. Whoever
/// cannot be looked up counts as sandboxed. GeoClue goes by the control group, too; like there, the process that opened
/// the connection is meant, whoever uses it now.
final class SandboxCheck {
  typealias Handler = (Facts.Confinement, ControlGroup?) -> Void

  private let connection: Connection
  private let processes: UnitProcesses
  /// Where the control groups of a process are read.
  private let controlGroup: (UInt32) -> String?

  init(
    on connection: Connection,
    controlGroup: @escaping (UInt32) -> String? = { SandboxCheck.contents(ofFile: "/proc/\($0)/cgroup") }
  ) {
    self.connection = connection
    self.controlGroup = controlGroup
    processes = UnitProcesses(on: connection)
  }

  /// Calls the handler with the verdict, at once if /proc tells.
  func check(_ peer: BusName, _ credentials: Credentials, _ handler: @escaping Handler) {
    if credentials.securityLabel?.isSandbox == true { return handler(.sandbox, nil) }
    guard let process = credentials.processID, process > 0 else { return handler(.unverifiable, nil) }
    if let contents = controlGroup(process), let group = ControlGroup(contents: contents) {
      return handler(group.isSandbox ? .sandbox : .host, group)
    }
    processes.controlGroup(of: process) { group in
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
