// SPDX-License-Identifier: Apache-2.0
import GeoClue
import GeopublicistProcessSupport
import MainLoop

/// GeoClue's rules for applications and agents, kept up to date.
///
/// The files are read again when they have changed; GeoClue reads them at its start only. A file that cannot be read or
/// parsed keeps the rules that it had.
final class GeoClueRules {
  /// Called when the rules are others now, and whether those for agents are.
  var onChange: ((_ areAgentsAffected: Bool) -> Void)?

  private let file: String
  private var files: [(stamp: FileStamp, contents: GeoClueConfiguration)] = []
  private var contents = GeoClueConfiguration()
  private var watch: FolderWatch?
  private var hasWarnedOfAgent = false

  /// `file` is the main one; the drop-ins are in `conf.d` in the same folder.
  init(file: String = "\(GeoClueConfiguration.folder)/geoclue.conf") {
    self.file = file
    reloadIfChanged()
    guard let folder else { return }
    watch = FolderWatch([folder, folder + "/conf.d"]) { [weak self] in
      self?.reloadIfChanged()
    }
  }

  /// The id by which GeoClue knows the service.
  private static let serviceID = "org.geopublicist.Location1"

  /// Returns what the rules say of a program that calls itself so, for a user.
  func rule(for desktopID: String, user: UInt32) -> Facts.Rule {
    contents.rules[desktopID].map { $0.permits(user) ? .silent : .disallowed } ?? .silent
  }

  /// Returns what the rules say of a program whose locations come through the service, which runs as another user.
  ///
  /// GeoClue refuses the service only from its next start on, and only when it is asked: until then the service would
  /// return locations that it still has.
  func rule(for desktopID: String, user: UInt32, through service: UInt32) -> Facts.Rule {
    rule(for: Self.serviceID, user: service) == .silent ? rule(for: desktopID, user: user) : .disallowed
  }

  /// Whether GeoClue accepts an agent with an id; nil is one of which nothing is known but that it is an agent. Without
  /// a configuration file GeoClue does not run, and everything is said.
  func acceptsAgent(_ id: String?) -> Bool {
    guard let whitelist = contents.agents else { return true }
    return id.map(whitelist.contains) ?? !whitelist.isEmpty
  }

  /// Reads the files if they are not those that were read last; returns whether the rules are others now.
  @discardableResult func reloadIfChanged() -> Bool {
    let paths = [file] + (folder.map { TextFile.dropIns(in: "\($0)/conf.d") } ?? [])
    let stamps = paths.map(FileStamp.init(path:))
    guard stamps != files.map(\.stamp) else { return false }
    let known = Dictionary(files.map { ($0.stamp.path, $0) }, uniquingKeysWith: { _, last in last })
    files = stamps.map { stamp in
      if let file = known[stamp.path], file.stamp == stamp { return file }
      return (stamp, read(stamp.path) ?? known[stamp.path]?.contents ?? GeoClueConfiguration())
    }
    let before = contents
    contents = files.reduce(into: GeoClueConfiguration()) { $0.merge($1.contents) }
    guard contents != before else { return false }
    warnOfAgent()
    onChange?(contents.agents != before.agents)
    return true
  }

  /// What a file says; nil if it is there and cannot be read.
  private func read(_ path: String) -> GeoClueConfiguration? {
    guard TextFile.exists(path) else { return GeoClueConfiguration() }
    do throws(KeyFile.FileError) {
      return try GeoClueConfiguration(file: path)
    } catch {
      Log.warning("GeoClue's configuration cannot be read, so its rules stay as they were: \(error)")
      return nil
    }
  }

  private func warnOfAgent() {
    guard !acceptsAgent(GeoClueNames.agentID), !hasWarnedOfAgent else { return }
    hasWarnedOfAgent = true
    Log.warning(
      "GeoClue's configuration does not accept the service's agent, so GeoClue gives it no locations: "
        + "add \(GeoClueNames.agentID) to whitelist= in the group [agent] of \(file)")
  }

  private var folder: String? { file.lastIndex(of: "/").map { String(file[..<$0]) } }
}
