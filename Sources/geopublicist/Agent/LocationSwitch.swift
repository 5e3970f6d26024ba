// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// The user's location switch: a file that `geopublicist switch` writes and `geopublicist agent` obeys.
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
