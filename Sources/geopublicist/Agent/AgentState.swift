// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Glibc

/// What `geopublicist agent` does for this user, as other commands see it.
nonisolated enum AgentState: String {
  case waiting
  case registered
  case aside
  case refused
  case notRunning = "not-running"

  init(_ phase: AgentMachine.Phase) {
    self =
      switch phase {
      case .withoutGeoClue, .probing, .registering: .waiting
      case .registered: .registered
      case .aside: .aside
      case .refused: .refused
      }
  }

  @MainActor static var current: AgentState {
    guard let word = AgentStatusFile.read() else { return .notRunning }
    return AgentState(rawValue: word) ?? .waiting
  }

  var sentence: String {
    switch self {
    case .waiting: tr("this agent decides as soon as it is registered with GeoClue")
    case .registered: tr("this agent decides about locations for this user")
    case .aside: tr("another agent decides for this user; this one takes over when that one ends")
    case .refused:
      tr("GeoClue's configuration does not allow this agent; add geoclue-demo-agent to whitelist under [agent]")
    case .notRunning: tr("geopublicist agent is not running for this user")
    }
  }
}

/// A locked file in the user's runtime folder that lets only one agent run, and tells other commands its state.
final class AgentStatusFile {
  private static var path: String { String(cString: g_get_user_runtime_dir()) + "/geopublicist-agent" }
  private let descriptor: Int32

  /// Makes and locks the file; returns nil if that fails, as it does while another agent runs.
  init?() {
    descriptor = open(Self.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
  }

  isolated deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  func write(_ word: String) {
    let bytes = Array(word.utf8)
    // In this order, so that a reader never finds the file empty.
    _ = pwrite(descriptor, bytes, bytes.count, 0)
    ftruncate(descriptor, off_t(bytes.count))
  }

  /// Returns what the running agent has written; nil if no agent runs.
  static func read() -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_SH | LOCK_NB) != 0 else { return nil }
    return (try? TextFile.contents(of: path)).map { String($0.prefix(64)).printable }
  }
}

/// The user's location switch: a file that `geopublicist switch` writes and `geopublicist agent` follows.
struct LocationSwitch {
  private static let group = "agent"
  private static let key = "max-accuracy-level"

  let path = UserFile.folder + "/agent.conf"

  /// Returns the level; ``AccuracyLevel/none`` if location is off, as it is until the user turns it on.
  func read() throws(KeyFile.FileError) -> AccuracyLevel {
    guard TextFile.exists(path) else { return .none }
    let text = try KeyFile(path: path).text(Self.key, of: Self.group) ?? ""
    guard let level = Self.level(text) else {
      throw KeyFile.FileError(
        path, group: Self.group, key: Self.key, tr("'\(text.printable)' is neither off nor a level"))
    }
    return level
  }

  func write(_ level: AccuracyLevel) throws(KeyFile.FileError) {
    let text = "# Written by `geopublicist switch`.\n[\(Self.group)]\n\(Self.key)=\(Self.word(level))\n"
    try UserFile.write(text, to: path)
  }

  nonisolated static func level(_ word: String) -> AccuracyLevel? {
    switch word {
    case "off": AccuracyLevel.none
    case "on": .exact
    default: AccuracyLevel(contractName: word)
    }
  }

  nonisolated static func word(_ level: AccuracyLevel) -> String { level == .none ? "off" : level.contractName }
}
