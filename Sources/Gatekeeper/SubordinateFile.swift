// SPDX-License-Identifier: Apache-2.0
/// `/etc/subuid`, read again whenever it has changed.
final class SubordinateFile {
  private let file: String
  private let names: String
  private var stamp: FileStamp?
  private var current: SubordinateRanges?

  /// - Parameter names: The file with the ids of users' names. Other sources of names are not asked, because they could
  ///   block the service.
  init(file: String = "/etc/subuid", names: String = "/etc/passwd") {
    self.file = file
    self.names = names
  }

  /// The ranges, or nil if the file cannot be read.
  var ranges: SubordinateRanges? {
    let new = FileStamp(path: file)
    guard new != stamp else { return current }
    stamp = new
    current = SandboxCheck.contents(ofFile: file).map { contents in
      let users = Self.userIDs(in: SandboxCheck.contents(ofFile: names) ?? "")
      return SubordinateRanges(contents: contents) { users[$0] }
    }
    return current
  }

  private static func userIDs(in contents: String) -> [String: UInt32] {
    var users: [String: UInt32] = [:]
    for line in contents.split(separator: "\n") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      if fields.count > 2, let user = UInt32(fields[2]) { users[String(fields[0])] = user }
    }
    return users
  }
}
