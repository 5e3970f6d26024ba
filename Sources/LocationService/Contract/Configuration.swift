import CGLib
import Program

/// What an administrator may set: `/etc/geopublicist/geopublicist.conf` and `conf.d/*.conf` beside it, in the order of
/// their names; a later one wins, key by key.
public struct Configuration {
  public var limits = Limits()

  public static let mainFile = "/etc/geopublicist/geopublicist.conf"
  static let dropInFolder = "/etc/geopublicist/conf.d"
  private static let limitsGroup = "Limits"

  public init() {}

  /// Reads the given file, which must exist, or else the administrator's files, as far as there are any.
  ///
  /// Throws for a file that cannot be read, an unknown group or key, and a value out of range.
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
      guard group == Self.limitsGroup else { throw KeyFile.FileError(file.path, "there is no group [\(group)]") }
      for name in file.keys(of: group) {
        guard let key = Limits.Key(rawValue: name) else {
          throw KeyFile.FileError(file.path, group: group, key: name, "there is no such key")
        }
        let text = file.text(name, of: group) ?? ""
        guard let number = UInt32(text), number > 0 else {
          throw KeyFile.FileError(
            file.path, group: group, key: name, "'\(text)' is not a number from 1 to \(UInt32.max)")
        }
        limits[key] = number
      }
    }
  }

  private static func existingFiles() -> [String] {
    var files: [String] = []
    if g_file_test(mainFile, G_FILE_TEST_EXISTS) != 0 { files.append(mainFile) }
    guard let folder = g_dir_open(dropInFolder, 0, nil) else { return files }
    defer { g_dir_close(folder) }
    var names: [String] = []
    while let name = g_dir_read_name(folder) { names.append(String(cString: name)) }
    return files + names.filter { $0.hasSuffix(".conf") }.sorted().map { "\(dropInFolder)/\($0)" }
  }
}
