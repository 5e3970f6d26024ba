/// The control groups of a process, as `/proc/PID/cgroup` and systemd name them.
nonisolated struct ControlGroup: Equatable, Sendable {
  /// The elements of all paths; of a process there is one path in each hierarchy.
  let elements: [String]

  /// Reads the lines of `/proc/PID/cgroup`, `number:controllers:path`; nil if one of them is none.
  init?(contents: String) {
    var paths: [Substring] = []
    for line in contents.split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3, fields[2].first == "/" else { return nil }
      paths.append(fields[2])
    }
    guard !paths.isEmpty else { return nil }
    elements = paths.flatMap { $0.split(separator: "/").map(String.init) }
  }

  /// One path.
  init(path: String) { elements = path.split(separator: "/").map(String.init) }

  /// Whether it is one that Flatpak or snapd makes for a sandboxed program.
  ///
  /// Flatpak has named its scopes in three ways; snapd's are services and scopes named after the snap, and on the old
  /// hierarchy a freezer of the snap's name. A program on the host may name itself so, too, and harms only itself.
  var isSandbox: Bool { elements.contains(where: Self.isSandbox) }

  /// The systemd unit that says most about the process: the innermost one.
  var unit: String? { elements.last { $0.hasSuffix(".service") || $0.hasSuffix(".scope") } }

  private static func isSandbox(_ element: String) -> Bool {
    ["app-flatpak-", "flatpak-", "xdg-app-", "snap."].contains { element.hasPrefix($0) }
  }
}

/// The label that a Linux security module has given a connection's process.
nonisolated package struct SecurityLabel: Hashable, Sendable {
  let text: String

  /// Of what the bus says: bytes, with a NUL at the end.
  init(bytes: [UInt8]) { text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }

  /// Whether it is one that snapd or Flatpak's AppArmor profile gives to a sandboxed program.
  var isSandbox: Bool { text.hasPrefix("snap.") || text.hasPrefix("flatpak") }
}
