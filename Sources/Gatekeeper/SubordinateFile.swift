// SPDX-License-Identifier: Apache-2.0
/// `/etc/subuid`, read again when a client arrives after it has changed.
final class SubordinateFile {
  /// A longer file counts as one that cannot be read.
  static let largestSize: Int64 = 1 << 20

  private let file: String
  private let names: String
  private var stamp: FileStamp?
  /// The ranges, or nil if the file cannot be read.
  private(set) var ranges: SubordinateRanges?

  /// - Parameter names: The file that maps users' names to ids. Other sources of names are not asked, because they
  ///   could block the service.
  init(file: String = "/etc/subuid", names: String = "/etc/passwd") {
    self.file = file
    self.names = names
  }

  func readIfChanged() {
    let new = FileStamp(path: file)
    guard new != stamp else { return }
    stamp = new
    ranges = Self.contents(new).map { contents in
      let users = Self.userIDs(in: Self.contents(FileStamp(path: names)) ?? "")
      return SubordinateRanges(contents: contents) { users[$0] }
    }
  }

  private static func contents(_ file: FileStamp) -> String? {
    file.size <= largestSize ? SandboxCheck.contents(ofFile: file.path) : nil
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
