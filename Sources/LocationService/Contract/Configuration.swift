// SPDX-License-Identifier: Apache-2.0
import GeopublicistProcessSupport

/// The administrator's settings from `/etc/geopublicist/geopublicist.conf` and the `conf.d/*.conf` files beside it,
/// read in alphabetical order. Later values override earlier ones, key by key.
public struct Configuration {
  public var limits = Limits()
  /// Seconds without objects and calls after which the service exits. 0 means never.
  public var idleTimeout = 60.0

  public static let mainFile = "/etc/geopublicist/geopublicist.conf"
  static let dropInFolder = "/etc/geopublicist/conf.d"

  public init() {}

  /// Reads the given file, which must exist, or otherwise all of the administrator's files that exist.
  ///
  /// Throws if a file cannot be read, a group or key is unknown, or a value is out of range.
  public static func load(file: String?) throws(KeyFile.FileError) -> Configuration {
    var configuration = Configuration()
    if let file {
      try configuration.read(KeyFile(path: file))
    } else {
      for path in existingFiles() { try configuration.read(KeyFile(path: path)) }
    }
    return configuration
  }

  mutating func read(_ file: KeyFile) throws(KeyFile.FileError) {
    for group in file.groups {
      guard group == "Service" || group == "Limits" else {
        throw KeyFile.FileError(file.path, "unknown group [\(group)]; use [Service] or [Limits]")
      }
      for key in file.keys(of: group) {
        let value = Setting(file: file, group: group, key: key)
        switch group {
        case "Service": try readService(value)
        default: try readLimit(value)
        }
      }
    }
  }

  private mutating func readService(_ setting: Setting) throws(KeyFile.FileError) {
    switch setting.key {
    case "idle-timeout": idleTimeout = try setting.seconds()
    default: throw setting.unknown
    }
  }

  private mutating func readLimit(_ setting: Setting) throws(KeyFile.FileError) {
    guard let key = Limits.Key(rawValue: setting.key) else { throw setting.unknown }
    limits[key] = try setting.number(from: 1)
  }

  private struct Setting {
    let file: KeyFile
    let group: String
    let key: String

    var unknown: KeyFile.FileError {
      KeyFile.FileError(file.path, group: group, key: key, "unknown key")
    }

    /// Returns a time in seconds, possibly with decimals, from 0 to one year.
    func seconds() throws(KeyFile.FileError) -> Double {
      let text = file.text(key, of: group) ?? ""
      guard let number = Double(text), number >= 0, number <= 31_536_000 else {
        throw KeyFile.FileError(
          file.path, group: group, key: key, "'\(text)' is not a number of seconds from 0 to 31536000")
      }
      return number
    }

    func number(from smallest: UInt32) throws(KeyFile.FileError) -> UInt32 {
      let text = file.text(key, of: group) ?? ""
      guard let number = UInt32(text), number >= smallest else {
        throw KeyFile.FileError(
          file.path, group: group, key: key, "'\(text)' is not a number from \(smallest) to \(UInt32.max)")
      }
      return number
    }
  }

  private static func existingFiles() -> [String] {
    (TextFile.exists(mainFile) ? [mainFile] : []) + TextFile.dropIns(in: dropInFolder)
  }
}
