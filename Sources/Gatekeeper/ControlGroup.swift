// SPDX-License-Identifier: Apache-2.0
/// The control groups of a process, as listed by `/proc/PID/cgroup` and systemd.
nonisolated struct ControlGroup: Equatable, Sendable {
  /// The components of all paths. A process has one path in each hierarchy.
  let elements: [String]
  /// The program name, if the source of the control group also provides it.
  let program: String?

  /// Parses `/proc/PID/cgroup` (`number:controllers:path` on each line). Returns nil if a line is malformed.
  init?(contents: String) {
    var paths: [Substring] = []
    for line in contents.split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3, fields[2].first == "/" else { return nil }
      paths.append(fields[2])
    }
    guard !paths.isEmpty else { return nil }
    elements = paths.flatMap { $0.split(separator: "/").map(String.init) }
    program = nil
  }

  init(path: String, program: String? = nil) {
    elements = path.split(separator: "/").map(String.init)
    self.program = program
  }

  /// Whether Flatpak or snapd created the group for a sandboxed program.
  ///
  /// Flatpak has used three scope prefixes. snapd creates services and scopes named after the snap and, on cgroup v1, a
  /// freezer group with that name. A host program that imitates these names only restricts itself.
  var isSandbox: Bool { elements.contains(where: Self.isSandbox) }

  /// Whether the process belongs to a user session or a user manager, not to a system service or job.
  var belongsToSession: Bool { elements.contains { $0.hasPrefix("user-") && $0.hasSuffix(".slice") } }

  /// The innermost systemd unit. Nil if the name contains characters that unit names never have: users can name control
  /// groups freely and must not be able to forge journal text.
  var unit: String? {
    elements.last { $0.hasSuffix(".service") || $0.hasSuffix(".scope") }.flatMap { Self.isUnitName($0) ? $0 : nil }
  }

  private static func isUnitName(_ name: String) -> Bool {
    name.utf8.count <= 255
      && name.unicodeScalars.allSatisfy { scalar in
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", ":", "-", "_", ".", "\\", "@": true
        default: false
        }
      }
  }

  private static func isSandbox(_ element: String) -> Bool {
    ["app-flatpak-", "flatpak-", "xdg-app-", "snap."].contains { element.hasPrefix($0) }
  }
}

/// The label that a Linux security module assigned to a connection's process.
nonisolated package struct SecurityLabel: Hashable, Sendable {
  let text: String

  /// Creates a label from the bytes that the bus returns, which end with a NUL.
  init(bytes: [UInt8]) { text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }

  /// Whether snapd or Flatpak's AppArmor profile assigned it to a sandboxed program.
  var isSandbox: Bool { text.hasPrefix("snap.") || text.hasPrefix("flatpak") }
}

/// Derives the desktop id that an agent uses towards GeoClue from the systemd unit of its process.
///
/// Agents declare their id to GeoClue alone, and GeoClue does not verify it. The desktops' own agents run in units with
/// well-known names, so an agent that the administrator left out of GeoClue's whitelist is recognised by its unit. Any
/// other program can claim any id to GeoClue, so it is treated as one that GeoClue accepts.
nonisolated enum AgentIdentity {
  /// Returns the id of the agent in a control group, or nil if its unit is not known.
  static func id(of group: ControlGroup?) -> String? {
    group?.elements.lazy.compactMap { element in units.first { element.hasPrefix($0.prefix) }?.id }.first
  }

  /// Prefixes of unit names. systemd escapes `-` as `\x2d` in units generated from autostart files.
  private static let units: [(prefix: String, id: String)] = [
    ("org.gnome.Shell@", "gnome-shell"), ("org.gnome.Shell-", "gnome-shell"), ("gnome-shell-", "gnome-shell"),
    ("app-geoclue\\x2ddemo\\x2dagent", "geoclue-demo-agent"), ("geopublicist-agent", "geoclue-demo-agent"),
    ("app-io.elementary.desktop.agent\\x2dgeoclue2", "io.elementary.desktop.agent-geoclue2"),
    ("io.elementary.desktop.agent-geoclue2", "io.elementary.desktop.agent-geoclue2"),
    ("phosh", "sm.puri.Phosh"), ("mobi.phosh.Shell", "sm.puri.Phosh"), ("sm.puri.Phosh", "sm.puri.Phosh"),
    ("lipstick", "lipstick"),
  ]
}
