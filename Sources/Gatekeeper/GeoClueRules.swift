// SPDX-License-Identifier: Apache-2.0
import GeoClue
import GeopublicistContract
import GeopublicistProcessSupport
import Glibc
import MainLoop

/// GeoClue's rules for applications and agents, kept up to date.
///
/// Files are reread when they change, whereas GeoClue reads them only at start-up. If a file cannot be read or parsed,
/// its previous rules stay in force.
final class GeoClueRules {
  var onChange: ((_ areAgentsAffected: Bool) -> Void)?

  private let file: String
  private var files: [(stamp: FileStamp, contents: GeoClueConfiguration)] = []
  private var contents = GeoClueConfiguration()
  private var watch: FolderWatch?
  private var hasWarnedOfAgent = false

  /// - Parameter file: The main file. Drop-ins are read from `conf.d` in the same folder.
  init(file: String = "\(GeoClueConfiguration.folder)/geoclue.conf") {
    self.file = file
    reloadIfChanged()
    guard let folder else { return }
    watch = FolderWatch([folder, folder + "/conf.d"]) { [weak self] in self?.reloadIfChanged() }
  }

  func rule(for desktopID: String, user: UInt32) -> Facts.Rule {
    contents.rules[desktopID].map { $0.permits(user) ? .silent : .disallowed } ?? .silent
  }

  /// Returns the rule for a program that receives its locations through the service, which runs as another user.
  ///
  /// A new rule against the service takes effect in GeoClue only when GeoClue restarts. Until then the service would
  /// return locations that it still has, so that rule is applied here as well.
  func rule(for desktopID: String, user: UInt32, through service: UInt32) -> Facts.Rule {
    let own = rule(for: ServiceContract.service.rawValue, user: service)
    return own == .silent ? rule(for: desktopID, user: user) : .disallowed
  }

  /// Returns whether GeoClue accepts an agent with this id. Nil stands for an agent whose id is not known. Without a
  /// configuration file GeoClue does not run, so every agent is accepted.
  func acceptsAgent(_ id: String?) -> Bool {
    guard let whitelist = contents.agents else { return true }
    return id.map(whitelist.contains) ?? !whitelist.isEmpty
  }

  /// Rereads files that have changed, and returns whether this changed the rules.
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

  /// Returns the contents of a file, or nil if it exists but cannot be read.
  private func read(_ path: String) -> GeoClueConfiguration? {
    guard TextFile.exists(path) else { return GeoClueConfiguration() }
    do throws(KeyFile.FileError) {
      return try GeoClueConfiguration(file: path)
    } catch {
      Log.warning("GeoClue's configuration cannot be read, so the previous rules remain in force: \(error)")
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

/// Identifies a version of a file, so that a change can be detected. Stamps of a missing file are equal.
nonisolated struct FileStamp: Equatable, Sendable {
  let path: String
  private var inode: UInt64 = 0
  private(set) var size: Int64 = -1
  private var seconds: Int = 0
  private var nanoseconds: Int = 0

  init(path: String) {
    self.path = path
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    // Also changed by `chmod`, which may make the file readable.
    seconds = Int(status.st_ctim.tv_sec)
    nanoseconds = Int(status.st_ctim.tv_nsec)
  }
}
