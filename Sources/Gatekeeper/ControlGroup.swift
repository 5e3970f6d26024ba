// SPDX-License-Identifier: Apache-2.0
/// The control groups of a process, as `/proc/PID/cgroup` and systemd name them.
nonisolated struct ControlGroup: Equatable, Sendable {
  /// The elements of all paths; of a process there is one path in each hierarchy.
  let elements: [String]
  /// What the process calls itself, where that comes with its control group.
  let program: String?

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
    program = nil
  }

  /// One path.
  init(path: String, program: String? = nil) {
    elements = path.split(separator: "/").map(String.init)
    self.program = program
  }

  /// Whether it is one that Flatpak or snapd makes for a sandboxed program.
  ///
  /// Flatpak has named its scopes in three ways; snapd's are services and scopes named after the snap, and on the old
  /// hierarchy a freezer of the snap's name. A program on the host may name itself so, too, and harms only itself.
  var isSandbox: Bool { elements.contains(where: Self.isSandbox) }

  /// Whether it is one of a user's session, or of the user's own manager, and not of a system service or a job.
  var belongsToSession: Bool { elements.contains { $0.hasPrefix("user-") && $0.hasSuffix(".slice") } }

  /// The systemd unit that says most about the process: the innermost one. Nil if its name has characters that no
  /// unit's has: a user names control groups freely, and must not forge words in the journal with them.
  var unit: String? {
    elements.last { $0.hasSuffix(".service") || $0.hasSuffix(".scope") }.flatMap { Self.isUnitName($0) ? $0 : nil }
  }

  private static func isUnitName(_ name: String) -> Bool {
    name.utf8.count <= 255
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: ":-_.\\@".utf8.contains(byte)
        }
      }
  }

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
