// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistProcessSupport

/// GeoClue's rules for applications and agents: `geoclue.conf` and, beside it, `conf.d/*.conf`.
///
/// GeoClue asks for the keys `allowed`, `system` and `users` in each group and ignores a group that lacks any; here each
/// key counts alone, since a rule can only forbid. Later files win key by key, as in GeoClue from 2.7 on. The files are
/// read again when they have changed; GeoClue reads them at its start only. A file that cannot be read or parsed keeps
/// the rules that it had.
final class GeoClueConfiguration {
  /// What is said of one desktop-id.
  nonisolated struct Rule: Equatable, Sendable {
    var isAllowed: Bool?
    /// The users for whom it is meant; empty is all.
    var users: [UInt32]?
  }

  /// What one file says.
  nonisolated struct Contents: Equatable, Sendable {
    var rules: [String: Rule] = [:]
    /// The ids of the agents that GeoClue accepts.
    var whitelist: [String]?
  }

  static let defaultFile = "/etc/geoclue/geoclue.conf"
  /// The agent id of the service, and of the agent that it offers desktops.
  static let ownAgentID = "geoclue-demo-agent"

  /// Called when the rules are others now, and whether those for agents are.
  var onChange: ((_ areAgentsAffected: Bool) -> Void)?

  private let file: String
  private var files: [(stamp: FileStamp, contents: Contents)] = []
  private var contents = Contents()
  private var watch: FolderWatch?
  private var hasWarnedOfAgent = false

  /// `file` is the main one; the drop-ins are in `conf.d` in the same folder.
  init(file: String = GeoClueConfiguration.defaultFile) {
    self.file = file
    reloadIfChanged()
    guard let folder else { return }
    watch = FolderWatch([folder, folder + "/conf.d"]) { [weak self] in
      self?.reloadIfChanged()
    }
  }

  /// What the rules say of a program that calls itself so, for a user.
  func rule(for desktopID: String, user: UInt32) -> Facts.Rule {
    guard let rule = contents.rules[desktopID], !Self.otherGroups.contains(desktopID) else { return .silent }
    let users = rule.users ?? []
    return rule.isAllowed ?? true && (users.isEmpty || users.contains(user)) ? .silent : .disallowed
  }

  /// Whether GeoClue accepts an agent with an id; nil is one of which nothing is known but that it is an agent. Without
  /// a configuration file GeoClue does not run, and everything is said.
  func acceptsAgent(_ id: String?) -> Bool {
    guard let whitelist = contents.whitelist else { return true }
    return id.map(whitelist.contains) ?? !whitelist.isEmpty
  }

  /// Reads the files if they are not those that were read last; returns whether the rules are others now.
  @discardableResult func reloadIfChanged() -> Bool {
    let stamps = ([file] + dropIns()).map(FileStamp.init(path:))
    guard stamps != files.map(\.stamp) else { return false }
    let known = Dictionary(files.map { ($0.stamp.path, $0) }, uniquingKeysWith: { _, last in last })
    files = stamps.map { stamp in
      if let file = known[stamp.path], file.stamp == stamp { return file }
      return (stamp, read(stamp.path) ?? known[stamp.path]?.contents ?? Contents())
    }
    let before = contents
    contents = files.reduce(into: Contents()) { $0.merge($1.contents) }
    guard contents != before else { return false }
    warnOfAgent()
    onChange?(contents.whitelist != before.whitelist)
    return true
  }

  /// Groups that are about GeoClue itself.
  private static let otherGroups: Set<String> = [
    "agent", "network-nmea", "3g", "cdma", "modem-gps", "wifi", "compass", "static-source", "ip",
  ]

  /// What a file says; nil if it is there and cannot be read.
  private func read(_ path: String) -> Contents? {
    var contents = Contents()
    guard g_file_test(path, G_FILE_TEST_EXISTS) != 0 else { return contents }
    let file: KeyFile
    do throws(KeyFile.FileError) {
      file = try KeyFile(path: path)
    } catch {
      Log.warning("GeoClue's configuration cannot be read, so its rules stay as they were: \(error)")
      return nil
    }
    for group in file.groups where !Self.otherGroups.contains(group) {
      var rule = Rule()
      // Whatever is not plainly yes forbids.
      rule.isAllowed = file.text("allowed", of: group).map { $0 == "true" || $0 == "1" }
      // A user that cannot be read is nobody: the rule is then for the others, or for nobody at all.
      rule.users = file.text("users", of: group).map { Self.words($0).map { UInt32($0) ?? .max } }
      contents.rules[group] = rule
    }
    contents.whitelist = file.text("whitelist", of: "agent").map(Self.words)
    return contents
  }

  private static func words(_ text: String) -> [String] {
    text.split(whereSeparator: { ";, ".contains($0) }).map(String.init)
  }

  private func warnOfAgent() {
    guard !acceptsAgent(Self.ownAgentID), !hasWarnedOfAgent else { return }
    hasWarnedOfAgent = true
    Log.warning(
      "GeoClue's configuration does not accept the service's agent, so GeoClue gives it no locations: "
        + "add \(Self.ownAgentID) to whitelist= in the group [agent] of \(file)")
  }

  private var folder: String? { file.lastIndex(of: "/").map { String(file[..<$0]) } }

  private func dropIns() -> [String] {
    guard let folder, let handle = g_dir_open(folder + "/conf.d", 0, nil) else { return [] }
    defer { g_dir_close(handle) }
    var names: [String] = []
    while let name = g_dir_read_name(handle) { names.append(String(cString: name)) }
    return names.filter { $0.hasSuffix(".conf") }.sorted().map { "\(folder)/conf.d/\($0)" }
  }
}

nonisolated extension GeoClueConfiguration.Contents {
  /// Adds what a later file says, key by key.
  mutating func merge(_ other: Self) {
    whitelist = other.whitelist ?? whitelist
    rules.merge(other.rules) { old, new in
      GeoClueConfiguration.Rule(isAllowed: new.isAllowed ?? old.isAllowed, users: new.users ?? old.users)
    }
  }
}
